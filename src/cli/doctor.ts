// `doctor`: looks at everything that Regfeed stands on, changes nothing, and says what to do.
import { dirname } from "node:path";
import { backupTime, findLeftovers, isScheduled } from "../backup/create.ts";
import { roomForBackup } from "../backup/room.ts";
import { isOfLaterClock } from "../backup/schedule.ts";
import { type Config, userAgentOf } from "../config/config.ts";
import { formatBytes } from "../domain/byte_format.ts";
import { nextRunAfter } from "../domain/schedule.ts";
import { createClock } from "../platform/clock.ts";
import { tryMailServer } from "../platform/mailer.ts";
import { createMachine, hasFiles, type Machine, userToLookAs } from "../platform/machine.ts";
import { createPlatform } from "../platform/platform.ts";
import type { Host } from "../platform/process.ts";
import { sourceStatesOfFile } from "../store/sqlite/sources.ts";
import { SCHEMA_VERSION, schemaOfFile } from "../store/sqlite/migrate.ts";
import { adviceOn, causeOf } from "../store/sqlite/faults.ts";
import { undeliveredOfFile } from "../store/sqlite/undelivered.ts";
import { VERSION } from "../version.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import {
  judgeFolder,
  judgeOpenFiles,
  judgeSecretFile,
  judgeSourceFolders,
  judgeSystemPath,
  judgeVolume,
  nearestFolder,
  READ_ONLY,
  REMOUNT,
} from "./doctor/disk.ts";
import { judgeCertificate } from "./doctor/certificate.ts";
import { judgeDeliveries } from "./doctor/deliveries.ts";
import { type Finding, good, lookAt, problem, warning } from "./doctor/finding.ts";
import { askMailServer, judgeOutbox } from "./doctor/mail.ts";
import { askHosts, judgeClock, judgeHosts, judgeNames, judgeProxies } from "./doctor/network.ts";
import { examineRights } from "./doctor/rights.ts";
import { judgePayment } from "./doctor/payment.ts";
import { judgeSources } from "./doctor/sources.ts";
import { judgeTargets } from "./doctor/targets.ts";
import { keyProblem } from "./new_key.ts";
import { readPair } from "./certificate_watch.ts";
import { loadConfig, type LoadedConfig } from "./open.ts";

/** How much older than its schedule the newest backup may be, ms. */
const LATE_BACKUP_MS = 3_600_000;

/** The command. */
export const doctorCommand: Command = {
  name: "doctor",
  usage: "[--offline] [--json]",
  summary:
    "looks at disks, rights, secrets, clock, network, mail and backups, and says what to do; changes nothing",
  example: "regfeed doctor --config /etc/regfeed/regfeed.toml",
  positionals: [0, 0],
  options: {
    offline: { kind: "flag", help: "ask no host and no mail server" },
    ...JSON_OPTION,
  },
  async run(call) {
    const loaded = await loadConfig(call);
    const findings = [
      good("config", `${loaded.file} is good`),
      ...await examineMachine(call.host, loaded),
      ...await examineNetwork(call.host, loaded.config, call.flags.has("offline")),
    ];
    const problems = findings.filter(({ level }) => level === "problem").length;
    if (call.flags.has("json")) call.host.out(`${JSON.stringify({ ok: problems === 0, findings })}\n`);
    else call.host.out(describeFindings(findings));
    return problems === 0 ? EXIT.done : EXIT.failed;
  },
};

/** The findings for a person: what is wrong first within its area, and what to do below it. */
export function describeFindings(findings: readonly Finding[]): string {
  const marks = { good: "  ok     ", warning: "  WARNING", problem: "  PROBLEM" } as const;
  const lines: string[] = [];
  for (const area of new Set(findings.map((finding) => finding.area))) {
    lines.push(area);
    for (const { level, seen, todo } of findings.filter((finding) => finding.area === area)) {
      lines.push(`${marks[level]}  ${seen}`);
      if (todo !== null) lines.push(`             → ${todo}`);
    }
  }
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const many = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return `${lines.join("\n")}\n${many(count("problem"), "problem")}, ${many(count("warning"), "warning")}\n`;
}

async function examineMachine(host: Host, { config, file }: LoadedConfig): Promise<Finding[]> {
  const { path } = config.store;
  const closed = judgeSystemPath("store", path);
  const user = closed === null ? userToLookAs(path) ?? userToLookAs(dirname(path)) : null;
  const machine = createMachine(user);
  if (closed === null && createMachine().rightsOf(dirname(path))?.mayRead === false) {
    const todo = "run this as the user that runs Regfeed, or as root: nothing in it could be looked at";
    return [problem("store", `${dirname(path)} cannot be looked into by this user`, todo)];
  }
  const bytes = await host.sizeOf(path).catch(() => 0); // what cannot be looked at is said below
  return [
    ...(user === null ? [] : [
      good(
        "store",
        `you are root; rights are looked at as this user has them, whose the data is: ${user.uid}`,
      ),
    ]),
    ...(closed === null ? await examineStore(config, machine) : [closed]),
    ...await lookAt("secrets", () => examineSecrets({ config, file }, machine)),
    ...await examineTls(host, config),
    ...await lookAt("backup", () => [
      ...judgeRoom("backup", config.backup.folder, roomForBackup(bytes), machine),
      judgeFolder("backup", config.backup.folder, machine),
    ]),
    ...await lookAt("backup", () => examineBackups(host, config, machine)),
    ...await lookAt("sources", () => judgeSourceFolders(config.sources, machine)),
    ...judgeTargets(config),
    ...judgePayment(config),
    ...await lookAt("mail", () => judgeOutbox(config, machine)),
    examineZones(),
    judgeOpenFiles(hasFiles),
  ];
}

function judgeRoom(area: string, path: string, wantedBytes: number, machine: Machine): Finding[] {
  return judgeVolume(area, path, machine.volumeOf(nearestFolder(path, machine)), wantedBytes);
}

async function examineStore(config: Config, machine: Machine): Promise<Finding[]> {
  const { path } = config.store;
  const folder = judgeFolder("store", dirname(path), machine);
  const mayBeMade = folder.level !== "problem";
  return [
    ...judgeRoom("store", dirname(path), 0, machine),
    folder,
    ...await lookAt("store", () => examineDatabase(config, machine, { mayBeMade })),
  ];
}

function examineDatabase(
  config: Config,
  machine: Machine,
  { mayBeMade }: { mayBeMade: boolean },
): Finding[] {
  const { path, keyFile } = config.store;
  const rights = machine.rightsOf(path);
  if (rights === null && !mayBeMade) return []; // why it cannot be made is said of its folder
  if (rights === null) return [good("store", `no database yet: the first start makes ${path}`)];
  if (rights.isFolder) {
    const todo = "move it away, or name a file in store.path";
    return [problem("store", `${path} is a folder, where the database's file has to be`, todo)];
  }
  if (rights.isReadOnly) return [problem("store", `${path} cannot be written to: ${READ_ONLY}`, REMOUNT)];
  if (!rights.mayRead || !rights.mayWrite) {
    const todo = `run this as the user that runs Regfeed, or give it to that user: chown USER ${path}*`;
    return [problem("store", `${path} cannot be opened by this user`, todo)];
  }
  const findings: Finding[] = [judgeSecretFile(path, rights)];
  // A log beside it is a running server's, or what a killed one left: then nothing may bring it into the file.
  const readOnly = machine.rightsOf(`${path}-wal`) !== null;
  try {
    const schema = schemaOfFile(path, { readOnly });
    // Older databases have nothing sealed: the start that brings them up to date makes the key.
    if (schema === SCHEMA_VERSION && machine.rightsOf(keyFile) === null) {
      findings.push(problem(
        "secrets",
        `the key ${keyFile} is not there: the secrets of subscriptions cannot be read`,
        "put it back from where you keep it; when it is gone for good: `regfeed store new-key --yes`, and every subscription " +
          "needs a new secret",
      ));
    } else if (schema === SCHEMA_VERSION) findings.push(...examineKey(path, keyFile, { readOnly }));
    if (schema === 0) return [...findings, judgeEmpty(path)];
    findings.push(
      schema === SCHEMA_VERSION
        ? good("store", `the database has this version's schema (${SCHEMA_VERSION})`)
        : warning(
          "store",
          `the database has schema ${schema}, this version's is ${SCHEMA_VERSION}`,
          "the next start makes a backup and brings it up to date; nothing is to be done",
        ),
    );
    if (schema === SCHEMA_VERSION) {
      findings.push(
        ...judgeSources(config, sourceStatesOfFile(path, { readOnly })),
        ...judgeDeliveries(undeliveredOfFile(path, { readOnly })),
      );
    }
  } catch (error) {
    const todo = causeOf(error) === "corrupt"
      ? adviceOn("corrupt")
      : "do what it says, or name another file in store.path";
    findings.push(problem("store", `${path}: ${(error as Error).message}`, todo));
  }
  return findings;
}

/** Of a database in which nothing was ever stored, or of which nothing is left. */
function judgeEmpty(path: string): Finding {
  return warning(
    "store",
    `${path} is empty: the next start begins anew in it, without customers and events`,
    "if it held any, restore the newest good backup instead: `regfeed backup restore FILE --force`",
  );
}

/** Whether the key that is there opens what is sealed; a file that cannot be read is told of with its rights. */
function examineKey(path: string, keyFile: string, options: { readOnly: boolean }): Finding[] {
  const seen = keyProblem(path, keyFile, options);
  if (seen === null) return [good("secrets", `${keyFile} is the database's key`)];
  return [problem("secrets", seen, "do one of these; no delivery can be signed before")];
}

function examineSecrets(
  { config, file }: Pick<LoadedConfig, "config" | "file">,
  machine: Machine,
): Finding[] {
  const { keyFile } = config.store;
  return [
    ...examineRights({ config, file }, machine),
    ...(machine.rightsOf(keyFile) === null ? [] : [judgeSecretFile(keyFile, machine.rightsOf(keyFile))]),
  ];
}

/** Of the server's certificate, where it has one. */
export async function examineTls(
  host: Pick<Host, "readText">,
  { server }: Pick<Config, "server">,
): Promise<Finding[]> {
  if (server.tls === null) return [];
  try {
    const pair = await readPair(host, server.tls);
    const { hostname } = new URL(server.publicUrl);
    return judgeCertificate(pair, hostname, createClock().nowMs());
  } catch (error) {
    return [
      problem("tls", (error as Error).message, "put it there for this user to read, or change the config"),
    ];
  }
}

async function examineBackups(host: Host, { backup, store }: Config, machine: Machine): Promise<Finding[]> {
  if (machine.rightsOf(backup.folder)?.isFolder === false) return []; // that was said
  const nowMs = createClock().nowMs();
  const files = await host.exists(backup.folder) ? (await host.list(backup.folder)).files : [];
  const [ahead, others] = [true, false].map((isAhead) =>
    files.filter(({ name }) => isOfLaterClock(name, nowMs) === isAhead)
  ) as [typeof files, typeof files];
  const newest = Math.max(...others.map(({ name }) => backupTime(name) ?? -Infinity));
  const stay = others.filter(({ name }) => name.endsWith(".tar.gz") && !isScheduled(name));
  return [
    ...judgeNewest(backup, newest, nowMs),
    ...judgeAhead(ahead.map(({ name }) => name)),
    ...judgeStaying(backup.folder, stay),
    ...await examineLeftovers(host, [backup.folder, dirname(store.path)]),
  ];
}

/** Of archives of a time that is still to come. */
function judgeAhead(names: readonly string[]): Finding[] {
  return names.map((name) =>
    warning(
      "backup",
      `${name} is of a time that is still to come: the clock was ahead when it was made, or is behind now`,
      "look at `date -u`; where that is right, rename the archive or remove it: it counts as no backup, and none removes it",
    )
  );
}

/** Of archives that no schedule removes: those made by hand, before an upgrade, or by versions that named them otherwise. */
function judgeStaying(folder: string, stay: readonly { sizeBytes: number }[]): Finding[] {
  if (stay.length === 0) return [];
  const bytes = stay.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const what = stay.length === 1 ? "1 archive" : `${stay.length} archives`;
  return [good(
    "backup",
    `${what} in ${folder} (${
      formatBytes(bytes)
    }) without scheduled- before the name: the schedule leaves them to you`,
  )];
}

function judgeNewest(backup: Config["backup"], newest: number, nowMs: number): Finding[] {
  const seen = newest === -Infinity
    ? `no backup in ${backup.folder}`
    : `the newest backup is of ${new Date(newest).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (backup.schedule === null) {
    return [warning("backup", `${seen}, and none is made by itself`, 'set backup.schedule = "15 3 * * *"')];
  }
  const dueMs = newest === -Infinity ? null : nextRunAfter(backup.schedule, newest);
  if (newest === -Infinity || (dueMs !== null && nowMs > dueMs + LATE_BACKUP_MS)) {
    const todo = "if the server has run since, its log says what keeps it: look for the area backup";
    return [warning("backup", `${seen}, and one should be there by its schedule`, todo)];
  }
  return [good("backup", seen)];
}

async function examineLeftovers(host: Host, folders: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const folder of new Set(folders)) {
    for (const path of await findLeftovers(folder, createClock().nowMs(), host)) {
      const todo =
        `the next start of the server removes it, or says that it may not; so may you: rm -r ${path}`;
      findings.push(
        warning(
          "backup",
          `${path} was left behind by a backup that was ended: the database's copy is in it`,
          todo,
        ),
      );
    }
  }
  return findings;
}

/** Whether the runtime knows time zones: some stripped-down systems do not. */
function examineZones(): Finding {
  const summer = new Intl.DateTimeFormat("en", {
    timeZone: "Europe/Berlin",
    hour: "numeric",
    hourCycle: "h23",
  })
    .format(Date.UTC(2026, 6, 1, 12));
  return summer === "14"
    ? good("clock", "time zones are known")
    : problem("clock", "time zones are not known", "run the executable as it was released");
}

async function examineNetwork(host: Host, config: Config, offline: boolean): Promise<Finding[]> {
  const proxies = judgeProxies(config.server, (name) => host.env(name));
  if (offline) return proxies;
  const platform = createPlatform({ log: { format: "text", level: "error" } });
  try {
    const enabled = config.sources.filter((source) => source.enabled);
    const [answers, mail] = await Promise.all([
      askHosts(enabled, { ...platform, userAgent: userAgentOf(config, VERSION) }),
      askMailServer(config, { ...platform, tryMailServer }),
    ]);
    return [...proxies, judgeClock(answers), ...judgeNames(answers), ...judgeHosts(answers), ...mail];
  } finally {
    await platform.close();
  }
}
