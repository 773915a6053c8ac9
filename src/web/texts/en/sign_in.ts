// English: the texts of the sign-in pages.

export const signIn = {
  title: "Sign in",
  again: "Your session has ended. Sign in with your API key to continue; your input is kept.",
  key: {
    title: "With an API key",
    label: "API key",
    hint: "It begins with rgf_ and is in your welcome email.",
    submit: "Sign in",
  },
  email: {
    title: "With your email address",
    label: "Email address",
    hint: "You get an email with a link that signs you in.",
    submit: "Send a link",
  },
  oidc: {
    title: "Single sign-on",
    text: "For operators of this service.",
    submit: (name: string): string => `Continue with ${name}`,
    submitUnnamed: "Continue with single sign-on",
    failedTitle: "Single sign-on has failed",
    faults: {
      unreachable:
        "Your organisation’s sign-in service does not respond as expected. Try again in a minute. If that does not help, the log of Regfeed has the cause.",
      cancelled: "Your organisation’s sign-in service refused the sign-in, or it was cancelled there.",
      state:
        "The response belongs to no sign-in that was started in this browser in the last ten minutes. Start again.",
      code:
        "Your organisation’s sign-in service did not accept its own code, which may have expired. Start again.",
      signature: "The signature of the response is not valid, so the response was refused.",
      issuer: "The response comes from another sign-in service than the configured one, so it was refused.",
      audience: "The response is for another application, so it was refused.",
      nonce: "The response belongs to another sign-in, so it was refused. Start again.",
      expired:
        "The response has expired, or the clocks of the two services differ. Start again, and compare the clocks if that does not help.",
      token: "The response is not valid, so it was refused. The log of Regfeed has the cause.",
      not_operator:
        "You are signed in at your organisation, but you are not an operator of this service. Ask its administrator to add you to a group of operators.",
    },
  },
  operatorHint: "Do you run this service? This command prints a link that signs you in:",
  problems: {
    unknown: "No customer has this API key. Check that you copied it completely.",
    replaced: "This API key was replaced or disabled. Use your newest key, or ask the operator for one.",
    unpaid:
      "The key is valid, but your access has ended because a payment is missing. Your access returns when you pay.",
    disabled: "The key is valid, but the operator has disabled your access. Contact the operator.",
    limited: "Too many attempts from your network. Wait a minute, then try again.",
    email: "This is not an email address. Enter one such as ana@example.org.",
  },
  requested: {
    title: "Check your inbox",
    text: (email: string): string =>
      `If a customer of this service has the email address ${email}, a link is on its way.`,
    next:
      "The link works once, within 15 minutes. If no email arrives, check the spam folder and the spelling.",
  },
  resumeTitle: "You are signed in",
  resumeText: "Your input was kept. Continue to check and send it.",
  signedOut: "You are signed out.",
  link: {
    title: "Sign in",
    customer: "This link signs you in to the console.",
    operator: (name: string): string => `This link signs you in as the operator ${name}.`,
    submit: "Sign in",
    invalidTitle: "This link is no longer valid",
    invalidText: "A link works once, within 15 minutes. It may have been used, or it has expired.",
    again: "Sign in again",
  },
  sessions: {
    title: "Sessions",
    lead:
      "Where you are signed in. A session ends after 12 hours without use, and after 7 days at the latest.",
    operatorLead:
      "Where operators are signed in. A session ends after 12 hours without use, and after 7 days at the latest.",
    columns: {
      device: "Device",
      operator: "Operator",
      method: "Signed in with",
      address: "IP address",
      signedIn: "Began",
      lastSeen: "Last used",
      end: "End",
    },
    methods: { key: "API key", link: "One-time link", oidc: "Single sign-on" },
    current: "this one",
    unknownDevice: "Unknown device",
    endOf: (device: string): string => `End the session: ${device}`,
    endOthers: "End all my other sessions",
    ended: (count: number): string =>
      count === 0
        ? "There was no other session to end."
        : count === 1
        ? "1 session has ended."
        : `${count} sessions have ended.`,
  },
};
