// What the operator's pages can do and show beyond the store: the use cases, bound to a config.
import type { Classifier } from "../classify/classify.ts";
import type { Config } from "../config/config.ts";
import type { OperatorActs, ServerActs as ServerPageActs } from "../domain/operator/operator_acts.ts";
import { Refusal } from "../domain/operator/refusal.ts";
import type { SetupFacts } from "../domain/operator/setup.ts";
import type { Clock, Log, Random } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { addCustomer, changeCustomer, eraseCustomer, type Outbox } from "./customers.ts";
import { cancelMail, replayDelivery, retryMail, sendDelivery } from "./deliveries.ts";
import { addKey, disableKeys, rotateKey } from "./keys.ts";
import { replayPayment } from "./payments.ts";
import { issueLink } from "./sign_in_links.ts";
import { describePreview } from "./source_preview.ts";
import { previewSource, releaseHeld, requestFetch } from "./sources.ts";

/** What the server process does for these use cases. */
export interface ServerActs extends ServerPageActs {
  outbox: Outbox;
}

interface OperatorActsOptions {
  config: Config;
  store: Store;
  clock: Clock;
  random: Random;
  ingest: Pick<Ingest, "preview">;
  classifier: Classifier;
  log: Log;
  isConfigRefused(): boolean;
  /** Null outside the server process. */
  server: ServerActs | null;
}

export function createOperatorActs(options: OperatorActsOptions): OperatorActs {
  const { config, store, ingest, classifier, server } = options;
  const operation = options;
  return {
    /** The sources of the config, the enabled and the disabled ones. */
    sources: config.sources,
    tiers: config.tiers,
    hasPayments: config.payment !== null,
    isConfigRefused: options.isConfigRefused,
    setup: () => setupFacts(config),

    addCustomer: (customer, by) => addCustomer(operation, customer, by),
    changeCustomer: (id, edit, by) => changeCustomer(operation, id, edit, by),
    eraseCustomer: (id, by) => eraseCustomer({ ...operation, files: server?.outbox ?? NO_OUTBOX }, id, by),
    addKey: (id, label, by) => addKey(operation, id, label, by),
    rotateKey: (id, rotation, by) => rotateKey(operation, id, rotation, by),
    disableKeys: (id, hash, by) => disableKeys(operation, id, hash, by),
    issueLink: (viewer, by) => issueLink(operation, viewer, by),

    sendDelivery: (id, by) => sendDelivery(operation, id, by),
    replayDelivery: (id, by) => replayDelivery(operation, id, by),
    retryMail: (id, by) => retryMail(operation, id, by),
    cancelMail: (id, by) => cancelMail(operation, id, by),
    replayPayment: (id, by) => replayPayment(operation, id, by),

    async previewSource(id) {
      const source = config.sources.find((one) => one.id === id);
      if (source === undefined) throw new Refusal("source_unknown", { source: id });
      return describePreview(await previewSource({ ingest, store }, source), {
        classifier,
        configuredLanguages: source.languages,
        withReasons: false,
      });
    },
    requestFetch: (id, by) => requestFetch(operation, id, by),
    releaseHeld: (id, release, by) => releaseHeld(operation, id, release, by),

    server,
  };
}

const NO_OUTBOX: Outbox = {
  exists: () => Promise.resolve(false),
  list: () => Promise.resolve({ files: [], unreadable: [] }),
  removeFile: () => Promise.resolve(),
};

function setupFacts({ ingest, server, mail, backup }: Config): SetupFacts {
  return {
    publicUrl: server.publicUrl,
    hasContact: ingest.contact !== null || ingest.userAgent.includes("@"),
    hasMailServer: mail.smtp !== null,
    hasBackupSchedule: backup.schedule !== null,
    backupFolder: backup.folder,
  };
}
