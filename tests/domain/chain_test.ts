// The chain: what stands in it, in which order, and what it leaves behind.
import assert from "node:assert/strict";
import { Chain, type Link } from "../../src/domain/chain.ts";

class Thing implements Link<Thing> {
  earlier: Thing | null = null;
  later: Thing | null = null;
  chain: Chain<Thing> | null = null;
  constructor(readonly name: string) {}
}

const namesOf = (chain: Chain<Thing>): string => Array.from(chain, ({ name }) => name).join("");

Deno.test("Chain keeps the order of adding, whatever is taken out, and points at nothing that has left", () => {
  for (const leaving of ["", "a", "b", "c", "ab", "bc", "ac", "cab", "abc"]) {
    const things = ["a", "b", "c"].map((name) => new Thing(name));
    const chain = new Chain<Thing>();
    for (const thing of things) chain.add(thing);
    for (const name of leaving) {
      const thing = things.find((one) => one.name === name) as Thing;
      assert.ok(chain.remove(thing));
      assert.equal(chain.remove(thing), false, "it has left already");
      assert.deepEqual([thing.earlier, thing.later, thing.chain], [null, null, null]);
    }
    const left = things.map(({ name }) => name).filter((name) => !leaving.includes(name));
    assert.equal(namesOf(chain), left.join(""));
    assert.equal(chain.size, left.length);
    assert.equal(chain.first?.name ?? "", left[0] ?? "");
    const again = new Thing("d");
    chain.add(again);
    assert.equal(namesOf(chain), `${left.join("")}d`);
  }
});

Deno.test("Chain takes nothing out that stands in another, and lets whoever walks it take out the one at hand", () => {
  const [one, other] = [new Chain<Thing>(), new Chain<Thing>()];
  const things = ["a", "b"].map((name) => new Thing(name));
  for (const thing of things) one.add(thing);
  assert.equal(other.remove(things[0] as Thing), false);
  assert.equal(one.size, 2);
  for (const thing of one) one.remove(thing);
  assert.equal(one.size, 0);
});
