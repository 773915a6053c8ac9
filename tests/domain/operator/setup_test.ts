// What a new installation lacks, and what adds it.
import assert from "node:assert/strict";
import { missingSteps, type SetupStepName } from "../../../src/domain/operator/setup.ts";

const COMPLETE: Parameters<typeof missingSteps>[0] = {
  publicUrl: "https://feed.example",
  hasContact: true,
  hasMailServer: true,
  hasBackupSchedule: true,
  backupFolder: "/var/lib/regfeed/backups",
  sources: 2,
  neverFetched: [],
  backups: 1,
  customers: 1,
};

Deno.test("missingSteps() names what is missing, with the command or the config that adds it", () => {
  const rows: [Partial<typeof COMPLETE>, SetupStepName, RegExp][] = [
    [{ sources: 0 }, "no_source", /^\[\[sources\]\]\nenabled = true$/],
    [{ neverFetched: ["a", "b", "c", "d"] }, "never_fetched", /^regfeed ingest a b c$/],
    [{ hasContact: false }, "no_contact", /^\[ingest\]\ncontact = /],
    [{ publicUrl: "http://feed.example:8080" }, "no_tls", /^\[server\]\npublic_url = "https:.*tls_key = /s],
    [{ hasMailServer: false }, "no_mail", /^\[mail\]\nsmtp_url = /],
    [{ hasBackupSchedule: false }, "no_backup_schedule", /^\[backup\]\nschedule = "15 3 \* \* \*"$/],
    [{ backups: 0 }, "no_backup", /^regfeed backup create$/],
    [{ customers: 0 }, "no_customer", /^regfeed customer add --email /],
  ];
  assert.deepEqual(missingSteps(COMPLETE), []);
  for (const url of ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:8080"]) {
    assert.deepEqual(
      missingSteps({ ...COMPLETE, publicUrl: url }),
      [],
      "encryption is not needed on this machine",
    );
  }
  for (const [change, name, fix] of rows) {
    const steps = missingSteps({ ...COMPLETE, ...change });
    assert.deepEqual(steps.map((step) => step.name), [name]);
    assert.match(steps[0]?.fix.text ?? "", fix);
    assert.equal(steps[0]?.fix.kind, /^regfeed/.test(steps[0]?.fix.text ?? "") ? "command" : "config");
  }
  const everything = Object.assign({}, COMPLETE, ...rows.map(([change]) => change));
  assert.deepEqual(missingSteps(everything).map(({ name }) => name), rows.map(([, name]) => name));
});
