// The German texts of all areas.
export { account } from "./de/account.ts";
export { common } from "./de/common_texts.ts";
export { docs } from "./de/docs.ts";
export { event } from "./de/event.ts";
export { feed } from "./de/feed.ts";
export { operator } from "./de/operator.ts";
export { signIn } from "./de/sign_in.ts";
export { status } from "./de/status.ts";
export { subscriptions } from "./de/subscriptions.ts";
