// All pages of the operator.
import type { PageRoute } from "../page_route.ts";
import { auditPage } from "./audit.ts";
import { backupPages } from "./backups.ts";
import { customerPages } from "./customer_forms.ts";
import { customersPages } from "./customers.ts";
import { deliveryPages } from "./deliveries.ts";
import { healthPages } from "./health.ts";
import { mailPages } from "./mails.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";
import { overviewPage } from "./overview.ts";
import { paymentPages } from "./payments.ts";
import { sourcePages } from "./source.ts";
import { sourceTestForm } from "./source_test_form.ts";
import { sourcesPage } from "./sources.ts";

export function operatorPages(options: OperatorPagesOptions): PageRoute[] {
  return [
    overviewPage(options),
    sourcesPage(options),
    ...sourcePages(options),
    sourceTestForm(options),
    ...deliveryPages(options),
    ...mailPages(options),
    ...customersPages(options),
    ...customerPages(options),
    ...paymentPages(options),
    auditPage(options),
    ...healthPages(options),
    ...backupPages(options),
  ];
}
