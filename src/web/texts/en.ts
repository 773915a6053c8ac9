// The English texts of all areas.
export { account } from "./en/account.ts";
export { common } from "./en/common_texts.ts";
export { docs } from "./en/docs.ts";
export { event } from "./en/event.ts";
export { feed } from "./en/feed.ts";
export { operator } from "./en/operator.ts";
export { signIn } from "./en/sign_in.ts";
export { status } from "./en/status.ts";
export { subscriptions } from "./en/subscriptions.ts";
