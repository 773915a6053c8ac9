// What an installation still lacks, with the command or the config that adds it.

/** The settings that a new installation may lack. */
export interface SetupFacts {
  publicUrl: string;
  hasContact: boolean;
  hasMailServer: boolean;
  hasBackupSchedule: boolean;
  backupFolder: string;
}

export type SetupStepName =
  | "no_source"
  | "never_fetched"
  | "no_contact"
  | "no_tls"
  | "no_mail"
  | "no_backup_schedule"
  | "no_backup"
  | "no_customer";

export interface SetupStep {
  name: SetupStepName;
  /** The command to run, or the lines of the config to add. */
  fix: { kind: "command" | "config"; text: string };
  /** What the step is about, such as the ids of sources. */
  about: readonly string[];
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Returns what is missing, the most important first. */
export function missingSteps(
  { publicUrl, hasContact, hasMailServer, hasBackupSchedule, sources, neverFetched, backups, customers }:
    & SetupFacts
    & {
      /** The number of enabled sources. */
      sources: number;
      /** The enabled sources that were never fetched. */
      neverFetched: readonly string[];
      backups: number;
      customers: number;
    },
): SetupStep[] {
  const step = (isMissing: boolean, one: SetupStep): SetupStep[] => isMissing ? [one] : [];
  const command = (text: string) => ({ kind: "command" as const, text });
  const config = (text: string) => ({ kind: "config" as const, text });
  const { protocol, hostname } = new URL(publicUrl);
  return [
    ...step(sources === 0, { name: "no_source", fix: config("[[sources]]\nenabled = true"), about: [] }),
    ...step(neverFetched.length > 0, {
      name: "never_fetched",
      fix: command(`regfeed ingest${neverFetched.slice(0, 3).map((id) => ` ${id}`).join("")}`),
      about: neverFetched,
    }),
    ...step(!hasContact, {
      name: "no_contact",
      fix: config('[ingest]\ncontact = "you@example.org"'),
      about: [],
    }),
    ...step(protocol === "http:" && !LOOPBACK.test(hostname), {
      name: "no_tls",
      fix: config(
        '[server]\npublic_url = "https://…"\ntls_cert = "/etc/regfeed/tls/fullchain.pem"\ntls_key = "/etc/regfeed/tls/key.pem"',
      ),
      about: [publicUrl],
    }),
    ...step(!hasMailServer, {
      name: "no_mail",
      fix: config('[mail]\nsmtp_url = "smtp://USER:PASSWORD@mail.example.org:587"'),
      about: [],
    }),
    ...step(!hasBackupSchedule, {
      name: "no_backup_schedule",
      fix: config('[backup]\nschedule = "15 3 * * *"'),
      about: [],
    }),
    ...step(backups === 0, { name: "no_backup", fix: command("regfeed backup create"), about: [] }),
    ...step(customers === 0, {
      name: "no_customer",
      fix: command("regfeed customer add --email ana@example.org"),
      about: [],
    }),
  ];
}
