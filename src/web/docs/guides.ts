// The guides: the files in docs/use, with their order in the navigation.
import account from "../../../docs/use/account.md" with { type: "text" };
import api from "../../../docs/use/api.md" with { type: "text" };
import classification from "../../../docs/use/classification.md" with { type: "text" };
import consoleGuide from "../../../docs/use/console.md" with { type: "text" };
import definitions from "../../../docs/use/definitions.md" with { type: "text" };
import definitionsDe from "../../../docs/use/definitions.de.md" with { type: "text" };
import definitionsFr from "../../../docs/use/definitions.fr.md" with { type: "text" };
import deliveries from "../../../docs/use/deliveries.md" with { type: "text" };
import errors from "../../../docs/use/errors.md" with { type: "text" };
import events from "../../../docs/use/events.md" with { type: "text" };
import filters from "../../../docs/use/filters.md" with { type: "text" };
import polling from "../../../docs/use/polling.md" with { type: "text" };
import quickStart from "../../../docs/use/quick-start.md" with { type: "text" };
import subscriptions from "../../../docs/use/subscriptions.md" with { type: "text" };
import versions from "../../../docs/use/versions.md" with { type: "text" };
import webhooks from "../../../docs/use/webhooks.md" with { type: "text" };
import changelog from "../../../CHANGELOG.md" with { type: "text" };
import type { Language } from "../texts/texts.ts";

export type GuideGroup = "start" | "events" | "reading" | "receiving" | "service";

export interface Guide {
  /** The name of its file without `.md`, which is also the last part of its path. */
  name: string;
  group: GuideGroup;
  text: string;
  language: Language;
  /** The guide of which this one is a translation. */
  translates?: string;
}

const guide = (group: GuideGroup, name: string, text: string): Guide => ({
  name,
  group,
  text,
  language: "en",
});

/** In the order of the navigation. */
export const GUIDES: readonly Guide[] = [
  guide("start", "quick-start", quickStart),
  guide("start", "api", api),
  guide("events", "events", events),
  guide("events", "definitions", definitions),
  { ...guide("events", "definitions.de", definitionsDe), language: "de", translates: "definitions" },
  { ...guide("events", "definitions.fr", definitionsFr), language: "fr", translates: "definitions" },
  guide("events", "classification", classification),
  guide("events", "versions", versions),
  guide("reading", "console", consoleGuide),
  guide("reading", "filters", filters),
  guide("reading", "polling", polling),
  guide("reading", "errors", errors),
  guide("receiving", "webhooks", webhooks),
  guide("receiving", "subscriptions", subscriptions),
  guide("receiving", "deliveries", deliveries),
  guide("service", "account", account),
  guide("service", "changelog", changelog),
];
