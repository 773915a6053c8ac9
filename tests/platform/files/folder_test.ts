// Watched folders: links, pipes and limits.
import assert from "node:assert/strict";
import { constants } from "node:fs";
import { join } from "node:path";
import { listFolder, readFileIn } from "../../../src/platform/files/folder.ts";
import { condition, LINUX, needs, POSIX } from "../../support/needs.ts";
import { withFolder } from "../../support/process.ts";

const STAY = { followLinks: false };
const FOLLOW = { followLinks: true };
const LEADS_OUT = /it links to a file outside the folder; follow_links = true allows this/;

/** Creates a folder with a file and with links to targets inside and outside it. The targets outside are secrets. */
async function withLinks(work: (inbox: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const inbox = join(folder, "inbox");
    await Deno.mkdir(join(inbox, "..2026"), { recursive: true });
    await Deno.mkdir(join(folder, "inbox-secret"));
    for (const path of ["secret", "inbox-secret/key", "inbox/a.xml", "inbox/..2026/b.xml"]) {
      await Deno.writeTextFile(join(folder, path), `content of ${path}`);
    }
    await Deno.symlink("a.xml", join(inbox, "same.xml"));
    await Deno.symlink("..2026", join(inbox, "..data")); // as in mounted volumes of containers
    await Deno.symlink("..data/b.xml", join(inbox, "b.xml"));
    await Deno.symlink("../secret", join(inbox, "out.xml"));
    await Deno.symlink("../inbox-secret/key", join(inbox, "sibling.xml")); // its path starts with the folder's name
    await Deno.symlink("../inbox-secret", join(inbox, "folder"));
    await work(inbox);
  });
}

Deno.test(
  needs("listFolder() follows links within the folder, and refuses those that lead outside", POSIX),
  () =>
    withLinks(async (inbox) => {
      const { files, unreadable } = await listFolder(inbox, STAY);
      assert.deepEqual(files.map(({ name }) => name), ["a.xml", "b.xml", "same.xml"]);
      assert.deepEqual(unreadable.map(({ name }) => name), ["out.xml", "sibling.xml"]);
      for (const { reason } of unreadable) assert.match(reason, LEADS_OUT);
      const followed = await listFolder(inbox, FOLLOW);
      const names = followed.files.map(({ name }) => name);
      assert.deepEqual(names, ["a.xml", "b.xml", "out.xml", "same.xml", "sibling.xml"]);
      assert.deepEqual(followed.unreadable, []);
    }),
);

Deno.test("listFolder() refuses a folder with too many entries", () =>
  withFolder(async (folder) => {
    for (const name of ["a.xml", "b.xml", ".c"]) await Deno.writeTextFile(join(folder, name), "");
    assert.equal((await listFolder(folder, STAY, 3)).files.length, 2);
    await assert.rejects(
      listFolder(folder, STAY, 2),
      /it has more than 2 entries; move old files to another folder/,
    );
  }));

Deno.test(needs("listFolder() accepts a folder that is a link", POSIX), () =>
  withLinks(async (inbox) => {
    const link = `${inbox}-link`;
    await Deno.symlink(inbox, link);
    assert.equal((await listFolder(link, STAY)).files.length, 3);
    assert.equal((await readFileIn(link, "b.xml", { ...STAY, maxBytes: 99 })).length, 29);
    await assert.rejects(readFileIn(link, "out.xml", { ...STAY, maxBytes: 99 }), LEADS_OUT);
  }));

Deno.test(
  needs("readFileIn() reads only files in the folder, up to a size, even if names change", POSIX),
  () =>
    withLinks(async (inbox) => {
      const read = async (name: string, options = STAY, maxBytes = 1_000) =>
        new TextDecoder().decode(await readFileIn(inbox, name, { ...options, maxBytes }));
      assert.equal(await read("a.xml"), "content of inbox/a.xml");
      assert.equal(await read("b.xml"), "content of inbox/..2026/b.xml");
      assert.equal(await read("out.xml", FOLLOW), "content of secret");
      await assert.rejects(read("out.xml"), LEADS_OUT);
      await assert.rejects(read("../secret"), LEADS_OUT);
      await assert.rejects(read("folder/key"), LEADS_OUT);
      assert.equal(await read("a.xml", STAY, 22), "content of inbox/a.xml");
      await assert.rejects(read("a.xml", STAY, 21), /it has more than 21 bytes/);
      // A link replaces the listed file before the file is read.
      await Deno.remove(join(inbox, "a.xml"));
      await Deno.symlink("../secret", join(inbox, "a.xml"));
      await assert.rejects(read("a.xml"), LEADS_OUT);
    }),
);

Deno.test(
  needs("readFileIn() does not open pipes, devices or endless files", LINUX),
  () =>
    withLinks(async (inbox) => {
      const made = await new Deno.Command("mkfifo", { args: [join(inbox, "pipe")] }).output();
      assert.ok(made.success);
      await Deno.symlink("/dev/zero", join(inbox, "zero"));
      const read = (name: string) => readFileIn(inbox, name, { ...FOLLOW, maxBytes: 1_000 });
      await assert.rejects(read("pipe"), /it is a pipe/);
      await assert.rejects(read("zero"), /it is a device or a socket/);
    }),
);

/** Replaces a file with a pipe and back as fast as possible. */
const SWAPPER = `
const [file, pipe, shown] = ["file", "pipe", "shown"].map((name) => self.name + "/" + name);
for (;;) {
  for (const one of [file, pipe]) {
    Deno.linkSync(one, shown + "~");
    Deno.renameSync(shown + "~", shown);
    if (Math.random() < 0.1) await new Promise((later) => setTimeout(later, 1));
  }
}`;

Deno.test(
  needs(
    "readFileIn() does not wait for a pipe that replaces a file during the call",
    LINUX,
    condition(constants.O_NONBLOCK === 0x800, "Deno 2.4 opens no file without waiting"),
  ),
  () =>
    withFolder(async (folder) => {
      assert.ok((await new Deno.Command("mkfifo", { args: [join(folder, "pipe")] }).output()).success);
      for (const name of ["file", "shown"]) await Deno.writeTextFile(join(folder, name), "a".repeat(10));
      const swapper = new Worker(URL.createObjectURL(new Blob([SWAPPER])), { type: "module", name: folder });
      const outcomes = new Set<string>();
      try {
        const endMs = performance.now() + 3_000;
        while (performance.now() < endMs) {
          const timer = Promise.withResolvers<string>();
          const id = setTimeout(timer.resolve, 5_000, "hangs");
          const read = readFileIn(folder, "shown", { ...STAY, maxBytes: 99 });
          outcomes.add(
            await Promise.race([
              read.then(({ length }) => `${length} bytes`, ({ message }) => message),
              timer.promise,
            ]),
          );
          clearTimeout(id);
        }
      } finally {
        swapper.terminate();
      }
      const possible = ["10 bytes", "it is a pipe", "it was replaced while being opened"];
      assert.deepEqual([...outcomes].sort(), possible);
    }),
);
