// The French texts of all areas.
export { account } from "./fr/account.ts";
export { common } from "./fr/common_texts.ts";
export { docs } from "./fr/docs.ts";
export { event } from "./fr/event.ts";
export { feed } from "./fr/feed.ts";
export { operator } from "./fr/operator.ts";
export { signIn } from "./fr/sign_in.ts";
export { status } from "./fr/status.ts";
export { subscriptions } from "./fr/subscriptions.ts";
