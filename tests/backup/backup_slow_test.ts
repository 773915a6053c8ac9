// The system's tar can read a backup.
import assert from "node:assert/strict";
import { needs, program } from "../support/needs.ts";
import { create, withPlace } from "./place.ts";

Deno.test(needs("tar lists the files of a backup", program("tar", "gzip")), () =>
  withPlace(async (place) => {
    await create(place);
    const { stdout, success } = await new Deno.Command("tar", { args: ["tzf", place.archive] }).output();
    assert.ok(success);
    const listed = new TextDecoder().decode(stdout).trim().split("\n");
    assert.deepEqual(listed, ["manifest.json", "regfeed.toml", "regfeed.db"]);
  }));
