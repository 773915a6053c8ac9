// Who can read what must stay secret: the same for the doctor, for `check` and for the start of a server.
import type { Machine } from "../../platform/machine.ts";
import type { LoadedConfig } from "../open.ts";
import { judgeKeyFile } from "./certificate.ts";
import { judgeConfigFile, judgeGivenSecret } from "./disk.ts";
import type { Finding } from "./finding.ts";

/** Of the files of secrets that the operator has laid out, of the config itself, and of the certificate's key. */
export function examineRights(
  { config, file }: Pick<LoadedConfig, "config" | "file">,
  machine: Pick<Machine, "rightsOf">,
): Finding[] {
  const paths = [...new Set(config.secretFiles.map(({ path }) => path))];
  const { tls } = config.server;
  return [
    ...paths.map((path) => judgeGivenSecret(path, machine.rightsOf(path))),
    ...judgeConfigFile(file, machine.rightsOf(file), config.inlineSecrets),
    ...(tls === null ? [] : [judgeKeyFile(tls.key, machine.rightsOf(tls.key))]),
  ];
}

/** What {@link examineRights} finds too open, a sentence each with what to do: a warning to whoever works all the same. */
export function warnOfRights(
  loaded: Pick<LoadedConfig, "config" | "file">,
  machine: Pick<Machine, "rightsOf">,
): string[] {
  return examineRights(loaded, machine)
    .filter(({ level }) => level !== "good")
    .map(({ seen, todo }) => `${seen}: ${todo}`);
}
