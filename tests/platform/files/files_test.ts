// Files in a real folder are read, listed and replaced.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createFiles } from "../../../src/platform/files/files.ts";
import { LINUX, needs } from "../../support/needs.ts";

const files = createFiles();

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await files.makeTemporaryFolder("regfeed-files-");
  try {
    await work(folder);
  } finally {
    await files.removeFolder(folder);
  }
}

Deno.test("writeText() replaces a file with the text and mode, and leaves no draft", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "a.toml");
    const text = "ä".repeat(200_000);
    await files.writeText(path, "old", 0o644);
    await files.writeText(path, text, 0o600);
    assert.equal(await files.readText(path), text);
    assert.equal((await files.readBytes(path)).length, 400_000);
    assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["a.toml"]);
  });
});

Deno.test("writeText() leaves an existing file unchanged and no draft if writing fails", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "taken");
    Deno.mkdirSync(path);
    await assert.rejects(files.writeText(path, "text", 0o600), new RegExp(`cannot write ${path}: `));
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["taken"]);
  });
});

Deno.test("list() returns regular files by name, follows links, and omits folders and dot files", async () => {
  await inFolder(async (folder) => {
    for (const name of ["b.xml", "a.xml", ".hidden"]) Deno.writeTextFileSync(join(folder, name), "12345");
    Deno.mkdirSync(join(folder, "folder"));
    Deno.symlinkSync(join(folder, "folder"), join(folder, "link to a folder"));
    Deno.symlinkSync(join(folder, "a.xml"), join(folder, "link.xml"));
    Deno.utimeSync(join(folder, "a.xml"), 1_700_000_000, 1_700_000_000);
    const listed = await files.list(folder);
    assert.deepEqual(listed.files.map(({ name }) => name), ["a.xml", "b.xml", "link.xml"]);
    assert.deepEqual(listed.files[0], { name: "a.xml", sizeBytes: 5, modifiedAtMs: 1_700_000_000_000 });
    assert.deepEqual(listed.unreadable, []);
  });
});

Deno.test(
  needs("list() returns the reason for each unreadable entry, and opens no pipe", LINUX),
  () =>
    inFolder(async (folder) => {
      const script =
        "echo 12345 > a.xml; mkfifo pipe; ln -s /dev/null device; ln -s nowhere dead; ln -s loop loop;" +
        ` : > "$(printf 'odd\\377.xml')"; mkdir "$(printf 'folder\\377')"`;
      const made = await new Deno.Command("sh", { args: ["-c", script], cwd: folder }).output();
      assert.equal(made.code, 0);
      const { files: found, unreadable } = await files.list(folder);
      assert.deepEqual(found.map(({ name }) => name), ["a.xml"]);
      assert.deepEqual(unreadable, [
        { name: "dead", reason: "it is a broken link" },
        { name: "device", reason: "it is a device or a socket" },
        { name: "loop", reason: "its symbolic links form a loop" },
        { name: "odd\ufffd.xml", reason: "its name is not UTF-8; rename it" },
        { name: "pipe", reason: "it is a pipe" },
      ]);
    }),
);

Deno.test("every failure of a file operation names the path and the reason", async () => {
  await inFolder(async (folder) => {
    const gone = join(folder, "gone");
    const plain = join(folder, "plain");
    Deno.writeTextFileSync(plain, "");
    const rows: [() => Promise<unknown>, string][] = [
      [() => files.readText(gone), `cannot read ${gone}: it does not exist`],
      [() => files.readBytes(gone), `cannot read ${gone}: it does not exist`],
      [() => files.readText(folder), `cannot read ${folder}: it is a folder`],
      [() => files.list(gone), `cannot list ${gone}: it does not exist`],
      [() => files.list(plain), `cannot list ${plain}: it is not a folder`],
      [
        () => files.writeText(join(gone, "a"), "", 0o600),
        `cannot write ${join(gone, "a")}: it does not exist`,
      ],
      [() => files.makeFile(join(gone, "a"), 0o600), `cannot create ${join(gone, "a")}: it does not exist`],
      [() => files.removeFolder(gone), `cannot remove ${gone}: it does not exist`],
      [
        () => files.makeFolder(join(plain, "a"), 0o700),
        `cannot create ${join(plain, "a")}: it is not a folder`,
      ],
    ];
    for (const [failing, message] of rows) await assert.rejects(failing, { message });
  });
});
