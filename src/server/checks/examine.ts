// Checks this installation: what `doctor` prints, and what the operator's page about health shows.
import { dirname } from "node:path";
import { userAgentOf } from "../../config/config.ts";
import {
  attempt,
  type Finding,
  good,
  groupSymptoms,
  problem,
  warning,
} from "../../domain/operator/finding.ts";
import type { Clock, HttpClient } from "../../domain/ports/ports.ts";
import { createClock } from "../../platform/clock.ts";
import { createMachine } from "../../platform/files/machine.ts";
import type { Host } from "../../platform/process/process.ts";
import { VERSION } from "../../version.ts";
import { tracesWarning } from "../build_info.ts";
import type { CommandCall } from "../command_context.ts";
import { examineDeclared } from "../declared_conflicts.ts";
import type { LoadedConfig } from "../open_store.ts";
import { checkTls } from "./certificate.ts";
import { checkBackups, checkFolder, checkVolume } from "./disk.ts";
import { checkMailServer, checkOutbox } from "./mail.ts";
import { askHosts, checkClock, checkHosts, checkProxies, checkTargets } from "./network.ts";
import { checkPayment } from "./payment.ts";
import { checkRights, checkSecretFile } from "./rights.ts";
import { checkSettings } from "./settings.ts";
import { checkSingleSignOn } from "./single_sign_on.ts";
import { checkDatabase } from "./store.ts";

type Call = Pick<CommandCall, "host" | "loadEngine">;

interface Examination {
  /** Finds out whether a server is running. */
  checkServer(): Promise<Finding>;
  /** Connects to hosts and mail servers; null if no connection must be made. */
  network: { clock: Clock; http: HttpClient } | null;
}

/** Checks everything that the config names. Changes nothing. */
export async function examine(
  call: Call,
  loaded: LoadedConfig,
  { checkServer, network }: Examination,
): Promise<Finding[]> {
  return groupSymptoms([
    good("config", `${loaded.file} is valid`),
    ...await checkConfig(call, loaded),
    ...await checkMachine(call, loaded, checkServer),
    ...await checkNetwork(call.host, loaded, network),
  ]);
}

/** Repeats the warnings of `check`, except those about files and payments, which other checks cover. */
async function checkConfig(call: Call, loaded: LoadedConfig): Promise<Finding[]> {
  const traces = await tracesWarning(call.host);
  const declared = await examineDeclared(call, loaded).then(
    (unseen) => unseen === null ? [] : [warning("customers", unseen, "start or restart `regfeed serve`")],
    ({ message }: Error) => [problem("customers", message, "correct this in the config")],
  );
  return [
    ...await checkSettings(call.host, loaded.config),
    ...(traces === null ? [] : [warning("traces", traces, "change OTEL_DENO, or use another executable")]),
    ...declared,
  ];
}

async function checkNetwork(
  host: Host,
  { config }: LoadedConfig,
  network: Examination["network"],
): Promise<Finding[]> {
  const settings = [...checkProxies(config.server), ...checkTargets(config)];
  if (network === null) return settings;
  const enabled = config.sources.filter((source) => source.enabled);
  const [hosts, mail, signOn] = await Promise.all([
    askHosts(enabled, { ...network, userAgent: userAgentOf(config, VERSION) }),
    checkMailServer(config, network.clock),
    checkSingleSignOn(config, { ...network, host }),
  ]);
  return [...settings, ...checkHosts(hosts), checkClock(hosts), ...mail, ...signOn];
}

async function checkMachine(
  { host, loadEngine }: Call,
  loaded: LoadedConfig,
  checkServer: Examination["checkServer"],
): Promise<Finding[]> {
  const engine = await loadEngine();
  const { config } = loaded;
  const { path, keyFile } = config.store;
  const machine = createMachine();
  const key = machine.rightsOf(keyFile);
  const folder = checkFolder("store", dirname(path), machine);
  return [
    ...checkUser(host, machine.rightsOf(path)?.isRoots ?? true),
    await checkServer(),
    ...await attempt("secrets", () => [
      ...checkRights(loaded, machine),
      ...(key === null ? [] : [checkSecretFile(keyFile, key)]),
    ]),
    ...await checkTls(host, config, createClock().nowMs()),
    folder,
    ...(folder.level === "problem" ? [] : [
      ...await attempt("store", () => checkVolume("store", dirname(path), machine)),
      ...await attempt("store", () => checkDatabase(config, machine, engine)),
    ]),
    ...await attempt("backup", () => checkBackups(host, config, { machine, nowMs: createClock().nowMs() })),
    ...checkPayment(config),
    ...await attempt("mail", () => checkOutbox(config, machine)),
  ];
}

/** Warns if root checks another user's database, because the permissions of that user are then not checked. */
function checkUser(host: Host, isRootsData: boolean): Finding[] {
  if (host.user() !== "root" || isRootsData) return [];
  const seen = "doctor runs as root, which can use every file: the service's permissions are not checked";
  return [warning("store", seen, "run this as the service's user: `sudo -u regfeed regfeed doctor`")];
}
