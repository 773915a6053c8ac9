// What the operator's pages can do and show beyond the store. src/operate implements it.
import type { Act } from "../customer/audit.ts";
import type { ApiKey, Customer } from "../customer/customer.ts";
import type { MailRetry } from "../customer/mail.ts";
import type { PaymentOutcome } from "../customer/payment.ts";
import type { Viewer } from "../customer/session.ts";
import type { Tier, TierLimits } from "../customer/tier.ts";
import type { DeliveryRecord } from "../delivery/delivery.ts";
import type { ListedSubscription } from "../delivery/subscription.ts";
import type { BackupManifest } from "../ports/backup.ts";
import type { TierTable } from "../ports/store/customers.ts";
import type { SourceSettings } from "../source/source.ts";
import type { SourcePreview } from "../source/source_preview.ts";
import type { Finding } from "./finding.ts";
import type { ListedBackup } from "./listed_backup.ts";
import type { SetupFacts } from "./setup.ts";

/** A new key, which is shown once. */
export interface NewKey {
  customer: Customer;
  key: string;
  label: string | null;
}

/** What only the server process can do. */
export interface ServerActs {
  /** Examines the installation. `network` also connects to hosts and mail servers. */
  findings(options: { network: boolean }): Promise<Finding[]>;
  backups(): Promise<ListedBackup[]>;
  createBackup(by: Act): Promise<string>;
  verifyBackup(name: string): Promise<BackupManifest>;
}

/** The use cases of the operator. Those that change something throw a `Refusal` if they are refused. */
export interface OperatorActs {
  sources: readonly SourceSettings[];
  tiers: TierTable;
  hasPayments: boolean;
  /** Whether the config was changed, but cannot be applied. */
  isConfigRefused(): boolean;
  setup(): SetupFacts;

  addCustomer(
    customer: { email: string; tier: Tier; limits: Partial<TierLimits>; another: boolean },
    by: Act,
  ): Promise<NewKey>;
  changeCustomer(
    id: string,
    edit: Partial<Pick<Customer, "tier" | "enabled" | "limits" | "email">> & { another: boolean },
    by: Act,
  ): Promise<{ customer: Customer; held: ListedSubscription[] }>;
  eraseCustomer(id: string, by: Act): Promise<{ letters: number; isPaying: boolean }>;
  addKey(id: string, label: string, by: Act): Promise<NewKey>;
  rotateKey(
    id: string,
    rotation: { old: Pick<ApiKey, "label"> | null; overlapMs: number | null },
    by: Act,
  ): Promise<NewKey>;
  /** Disables a key, or with null all keys. */
  disableKeys(id: string, hash: string | null, by: Act): Promise<{ left: ApiKey[] }>;
  issueLink(viewer: Viewer, by: Act): Promise<{ url: string; expiresAtMs: number }>;

  sendDelivery(id: string, by: Act): Promise<DeliveryRecord>;
  replayDelivery(id: string, by: Act): Promise<DeliveryRecord>;
  retryMail(id: string, by: Act): Promise<Exclude<MailRetry, "over">>;
  cancelMail(id: string, by: Act): Promise<void>;
  replayPayment(id: string, by: Act): Promise<PaymentOutcome>;

  previewSource(id: string): Promise<SourcePreview>;
  requestFetch(id: string, by: Act): Promise<void>;
  releaseHeld(id: string, release: { end: "deliver" | "discard"; seen: number }, by: Act): Promise<number>;

  server: ServerActs | null;
}
