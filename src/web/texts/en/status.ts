// English: the texts of the status pages.

export const status = {
  title: "Status",
  asOf: "As of",
  state: {
    noSources: "No sources are configured yet.",
    upToDate: (count: number, total: number): string =>
      count < total
        ? `${count} of ${total} sources ${count === 1 ? "is" : "are"} up to date.`
        : total === 1
        ? "The only source is up to date."
        : `All ${total} sources are up to date.`,
    troubled: (count: number): string =>
      count === 1 ? "1 source needs attention." : `${count} sources need attention.`,
    waiting: (count: number): string =>
      count === 1 ? "1 source has not been fetched yet." : `${count} sources have not been fetched yet.`,
    deliveriesLate: "Deliveries are late.",
  },
  conditions: {
    failing: { title: "Failing", text: "The last fetch did not succeed. It is repeated automatically." },
    blocked: { title: "Blocked", text: "The publisher’s site refuses or limits requests." },
    empty: { title: "Too few items", text: "The publisher’s site lists fewer items than it should." },
    partial: { title: "Incomplete", text: "Fetched except for a part, such as one language." },
    silent: {
      title: "Silent",
      text: "Fetched as scheduled, but nothing new has appeared for longer than usual.",
    },
    new: { title: "Not fetched yet", text: "The first fetch is still to come." },
    ok: { title: "Up to date", text: "Fetched as scheduled." },
  },
  since: "Began",
  lastFetched: "Last fetched",
  lastNew: "Last new item",
  coverage: {
    complete: "Every fetch succeeded",
    partly: "Some fetches failed",
    failed: "Every fetch failed",
    missed: "Not fetched although due",
    idle: "No fetch due",
    before: "Not yet a source",
  },
  legend: (days: number): string =>
    `Each bar is one of the last ${days} days (UTC), with today on the right.`,
  noDays: "No fetches recorded yet",
  completeDays: (complete: number, total: number): string =>
    total === 1 ? `${complete} of 1 day complete` : `${complete} of ${total} days complete`,
  gaps: {
    caption: "Days with gaps",
    columns: {
      days: "Days",
      coverage: "Coverage",
      successes: "Successful fetches",
      longestGap: "Longest time without one",
    },
    successes: (successes: number, total: number): string => `${successes} of ${total}`,
    more: (count: number): string =>
      count === 1 ? "1 earlier period is not shown." : `${count} earlier periods are not shown.`,
  },
  incidents: {
    current: "Current incidents",
    past: "Past incidents",
    none: (days: number): string => `No incidents in the last ${days} days.`,
    more: (count: number): string => `Only the last ${count} incidents are shown.`,
    feedTitle: "Regfeed: incidents",
    feedLink: "Follow incidents as an Atom feed",
    ofSource: (source: string, title: string): string => `${source}: ${title}`,
    began: "Began",
    ended: "Ended",
    duration: "Duration",
    ongoing: "It has not ended yet.",
    kinds: {
      failing: "fetches fail",
      blocked: "access is blocked",
      silent: "nothing new",
      deliveries_late: "Deliveries are late",
      stopped: "The service was not running",
    },
    texts: {
      silent: "Nothing new has appeared for longer than usual.",
      deliveries_late: "Deliveries to working endpoints have waited for more than an hour.",
      stopped:
        "Nothing was fetched or delivered during this time. Fetches and deliveries resumed afterwards.",
    },
    causes: {
      refused: "The publisher’s site refuses or limits requests.",
      timeout: "The publisher’s site did not respond in time.",
      connection: "The connection to the publisher’s site failed.",
      http_error: "The publisher’s site responded with an error.",
      unreadable: "The response of the publisher’s site could not be read.",
      too_few_items: "The publisher’s site lists fewer items than it should.",
      internal: "A fault in this service prevented the fetch.",
      overdue: "The fetch was due, but did not take place.",
    },
  },
};
