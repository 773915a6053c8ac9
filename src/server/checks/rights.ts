// Checks the permissions of files with secrets, for `doctor`, `check` and `serve`.
import type { Machine, Rights } from "../../platform/files/machine.ts";
import type { LoadedConfig } from "../open_store.ts";
import { type Finding, good, linesOf, problem } from "../../domain/operator/finding.ts";

/** The permission bits of the group and others. */
const OTHERS = 0o077;
/** The same bits, except the read bit of the group. */
const MORE_THAN_GROUP = 0o037;
const READS = 0o044;
const CHANGES = 0o022;

/** Checks the secret files, the config file and the certificate's key. */
export function checkRights(
  { config, file }: Pick<LoadedConfig, "config" | "file">,
  machine: Pick<Machine, "rightsOf">,
): Finding[] {
  const paths = [...new Set(config.secretFiles.map(({ path }) => path))];
  const { tls } = config.server;
  return [
    ...paths.map((path) => checkSecretFile(path, machine.rightsOf(path))),
    ...checkConfigFile(file, machine.rightsOf(file), config.inlineSecrets),
    ...(tls === null ? [] : [checkKeyFile(tls.key, machine.rightsOf(tls.key))]),
  ];
}

export function warnOfRights(
  loaded: Pick<LoadedConfig, "config" | "file">,
  machine: Pick<Machine, "rightsOf">,
): string[] {
  return linesOf(checkRights(loaded, machine));
}

/** Checks a file that only its owner may read. If root owns the file, its group may read it too. */
export function checkSecretFile(path: string, rights: Rights | null): Finding {
  if (rights === null) return problem("secrets", `${path} does not exist`, "create it, or change the config");
  if (!rights.mayRead) {
    const todo = `give it to the user that runs Regfeed: chown USER ${path}`;
    return problem("secrets", `${path} cannot be read by this user`, todo);
  }
  const tooOpen = rights.isRoots ? MORE_THAN_GROUP : OTHERS;
  if ((rights.mode & tooOpen) === 0) return good("secrets", `others cannot read ${path}`);
  const todo = rights.isRoots
    ? `chmod 640 ${path}, and chgrp it to the group of the user that runs Regfeed`
    : `chmod 600 ${path}`;
  return problem("secrets", `${path} has mode ${modeOf(rights)}: others can read it`, todo);
}

/** Checks the certificate's key, which the group may read. */
export function checkKeyFile(path: string, rights: Rights | null): Finding {
  if (rights === null || (rights.mode & 0o137) === 0) return good("tls", `others cannot read ${path}`);
  return problem("tls", `${path} has mode ${modeOf(rights)}: others can read it`, `chmod 640 ${path}`);
}

/** Checks the config file. `inlineSecrets` lists the keys whose secrets are in the file. */
export function checkConfigFile(
  path: string,
  rights: Rights | null,
  inlineSecrets: readonly string[],
): Finding[] {
  if (rights === null) return [];
  const findings: Finding[] = [];
  if ((rights.mode & CHANGES) !== 0) {
    findings.push(problem("secrets", `others can change ${path}`, `chmod go-w ${path}`));
  }
  const tooOpen = rights.isRoots ? MORE_THAN_GROUP : OTHERS;
  if (inlineSecrets.length > 0 && (rights.mode & tooOpen & READS) !== 0) {
    const key = inlineSecrets[0]?.split(/[. ]/).at(-1);
    findings.push(problem(
      "secrets",
      `${path} has mode ${modeOf(rights)}: others can read ${inlineSecrets.join(", ")}`,
      `chmod ${
        rights.isRoots ? 640 : 600
      } ${path} (the user that runs Regfeed must still be able to read it), or move each secret ` +
        `into its own file: ${key}_file = "…"`,
    ));
  }
  return findings;
}

function modeOf({ mode }: Rights): string {
  return mode.toString(8).padStart(3, "0");
}
