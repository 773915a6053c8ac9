// Recorded feeds of official bodies, published item by item.
import { fileURLToPath } from "node:url";
import { type Need, present } from "../support/needs.ts";

const FIXTURES = fileURLToPath(new URL("../../../shared/fixtures", import.meta.url));

export const RECORDINGS: Need = present(FIXTURES);

const FILES: Readonly<Record<string, string>> = {
  "press-corner": "ec-press-corner/ec_presscorner_2026-07-28.xml",
  ftc: "ftc/ftc_press_release_competition_2026-07-28.xml",
  fca: "fca/fca_news_2026-07-28.xml",
  eba: "eba/eba_rss_2026-08-01.xml",
  ecb: "ecb/ecb_press_2026-08-01.xml",
  finma: "finma/finma_news_2026-08-01.xml",
  doj: "doj/justice_gov_2026-08-01.xml",
  gao: "gao/gao_reports_2026-08-01.xml",
  cfpb: "cfpb/cfpb_newsroom_2026-08-01.xml",
  wto: "wto/wto_latest_2026-08-01.xml",
  ons: "ons/ons_release_calendar_2026-08-01.xml",
  riksbank: "riksbank/riksbank_2026-08-01.xml",
  "gov-uk-cma": "gov-uk/gov_uk_cma_2026-07-31.atom",
  "gov-uk-hmt": "gov-uk/gov_uk_hmt_2026-07-31.atom",
  "gov-uk-ofsi": "gov-uk/gov_uk_ofsi_blog.atom",
};

/** A feed whose items appear one after another, oldest first. */
export interface GrowingFeed {
  id: string;
  readonly isWhole: boolean;
  readonly body: string;
  readonly etag: string;
  grow(): void;
}

/** Returns the recorded feeds with the oldest `share` (0 to 1) of their items. */
export async function growingFeeds(share: number): Promise<GrowingFeed[]> {
  return await Promise.all(
    Object.entries(FILES).map(async ([id, file]) => {
      const text = await Deno.readTextFile(`${FIXTURES}/${file}`);
      const items = [...text.matchAll(/<(item|entry)[\s>][^]*?<\/\1>/g)];
      const first = items[0];
      const last = items.at(-1);
      if (first === undefined || last === undefined) throw new Error(`${file} contains no items`);
      const head = text.slice(0, first.index);
      const tail = text.slice(last.index + last[0].length);
      let shown = Math.max(1, Math.floor(items.length * share));
      return {
        id,
        get isWhole() {
          return shown === items.length;
        },
        get body() {
          return head + items.slice(items.length - shown).map(([item]) => item).join("\n") + tail;
        },
        get etag() {
          return `"${shown}"`;
        },
        grow: () => void (shown = Math.min(items.length, shown + 1)),
      };
    }),
  );
}
