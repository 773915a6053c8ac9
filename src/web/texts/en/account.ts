// English: the texts of the pages about usage and keys.

export const account = {
  usage: {
    title: "Usage",
    tier: (name: string): string => `Your tier is ${name}. Days and months are UTC.`,
    today: "Today",
    month: "This month",
    requests: "API requests",
    deliveries: "Webhook deliveries",
    subscriptions: "Active subscriptions",
    tests: "Test deliveries",
    replays: "Replays",
    backfills: "Subscriptions with stored events",
    of: (used: string, limit: string): string => `${used} of ${limit}`,
    renews: (when: string): string => `Renews ${when}`,
    held: (count: string, limit: string): string =>
      `${count} of at most ${limit} deliveries are held. None is lost. They are sent when the cause ends.`,
    noQuota: "Console pages do not count as API requests.",
    last30: "The last 30 days",
    requestsPerDay: "API requests per day",
    deliveriesPerDay: "Successful deliveries per day",
    day: "Day",
  },
  keys: {
    title: "API keys",
    lead:
      "Programs authenticate with these keys. All of them have access to the same subscriptions and share your limits.",
    label: "Label",
    ending: "Ends with",
    created: "Created",
    lastUsed: "Last used",
    validUntil: "Valid until",
    state: "State",
    never: "Never",
    noEnd: "No end",
    unlabelled: "Declared by the operator",
    states: { valid: "Valid", expiring: "Being replaced", disabled: "Disabled" },
    operatorOnly: "Only the operator issues, rotates and disables keys",
    ask: "Ask the operator, and name the label or the last four characters, never the key itself:",
    askNew: "another key, for example for a second program: say which label it should have;",
    askRotate:
      "a rotation: the old key stays valid for a period that you agree on, so that nothing is interrupted;",
    askDisable: "a disabled key: ask for it at once if someone else may have seen a key.",
    contact: "Operator contact",
    guide: "About your account",
    empty: "You have no keys.",
  },
};
