// Pages as data: rows with a method, a path, the access and the schemas of query and form.
import type * as z from "zod";
import type { Customer } from "../domain/customer/customer.ts";
import type { Finding } from "../http/invalid_fields.ts";
import type { Html } from "./html.ts";
import type { Format } from "./texts/format.ts";
import type { Language, Texts } from "./texts/texts.ts";
import type { Toast } from "./components/toast.ts";
import type { Section } from "./layout/navigation.ts";
import type { ScriptName } from "./assets.ts";
import type { PageSession } from "./session/page_sessions.ts";
import type { TypedValues } from "./session/typed_values.ts";

/** A query or form. It is never refused before the handler runs, so that the page can mark the invalid fields. */
export interface Given<Input> {
  /** The whole input; null if a field is invalid, or if the form must be sent again. */
  value: Input | null;
  /** The valid fields. */
  good: Partial<Input>;
  errors: readonly Finding[];
}

export interface PageCall<Query = unknown, Form = unknown> {
  params: Record<string, string>;
  query: Given<Query>;
  /** Without a schema, or for GET, the form is empty. A form acts only once. */
  form: Given<Form>;
  /** The values to fill a form with: those of the query or of the form as sent. */
  typed: TypedValues;
  /** The path and query as sent. */
  address: string;
  headers: Headers;
  ipAddress: string;
  requestId: string;
  nowMs: number;
  language: Language;
  texts: Texts;
  format: Format;
  session: PageSession | null;
  /** Fields of every form with `method="post"`; the form component adds them. */
  hidden: FormSecrets;
}

export interface FormSecrets {
  /** Null without a session. */
  csrf: string | null;
  newFormId(): string;
}

export interface CustomerCall<Query = unknown, Form = unknown> extends PageCall<Query, Form> {
  customer: Customer;
  session: PageSession;
}

export interface OperatorCall<Query = unknown, Form = unknown> extends PageCall<Query, Form> {
  /** The name of the operator, for the audit log. */
  operator: string;
  session: PageSession;
}

export interface PageContent {
  kind: "page";
  status?: number;
  /** The document's title, without the service's name. */
  title: string;
  /** The section that the navigation marks as current. */
  section?: Section;
  body: Html;
  scripts?: readonly ScriptName[];
  /** The language of the body if it differs from that of the page. */
  contentLanguage?: string;
  /** Elements for the head, such as a link to a feed. */
  head?: Html;
  /** The local path that the form leads to if it is sent again, for content that is shown only once. */
  continueAt?: string;
  cookies?: readonly string[];
}

export interface Redirect {
  kind: "redirect";
  /** A local path. Others lead to `/`. */
  to: string;
  /** Whether `to` is the URL of another site, which the operator configured. */
  isExternal?: true;
  /** Shown once by the next page. */
  toast?: Toast;
  cookies?: readonly string[];
}

export interface FileContent {
  kind: "file";
  content: string;
  contentType: string;
  headers?: Record<string, string>;
}

export type PageResult = PageContent | Redirect | FileContent;

interface Row {
  method: "GET" | "POST";
  /** The path with parameters in braces, such as `/console/events/{id}`. */
  path: string;
  /** The schema of the query's parameters. Empty parameters count as absent. Without a schema, the query is ignored. */
  query?: z.ZodType;
  /** The schema of the form. Empty fields count as absent. With one, {@link showsForm} applies. */
  form?: z.ZodType;
  /** Whether the handler shows the form, without acting, if the form's value is null. Otherwise it runs only to act. */
  showsForm?: true;
  maxFormBytes?: number;
  /** Whether the form has no effect worth protecting, so that any origin may send it. */
  anyOrigin?: true;
}

/**
 * A page with who may see it; `viewer` is everyone who is signed in. Others are sent to the sign-in. A viewer of the
 * other kind is told that the page does not exist.
 */
export type PageRoute =
  & Row
  & (
    | { access: "public" | "viewer"; handle(call: PageCall): Promise<PageResult> | PageResult }
    | { access: "customer"; handle(call: CustomerCall): Promise<PageResult> | PageResult }
    | { access: "operator"; handle(call: OperatorCall): Promise<PageResult> | PageResult }
  );

type Checked<Schema> = Schema extends z.ZodType ? z.infer<Schema> : Record<never, never>;
type Schemas = z.ZodType | undefined;
type RowOf<Q, F, Call> = Omit<Row, "query" | "form"> & {
  query?: Q;
  form?: F;
  handle(call: Call): Promise<PageResult> | PageResult;
};

/** Defines a page for everyone. The schemas determine the types that the handler receives. */
export function publicPage<Q extends Schemas = undefined, F extends Schemas = undefined>(
  row: RowOf<Q, F, PageCall<Checked<Q>, Checked<F>>>,
): PageRoute {
  return { ...row, access: "public" } as PageRoute;
}

/** Defines a page for everyone who is signed in. */
export function viewerPage<Q extends Schemas = undefined, F extends Schemas = undefined>(
  row: RowOf<Q, F, PageCall<Checked<Q>, Checked<F>>>,
): PageRoute {
  return { ...row, access: "viewer" } as PageRoute;
}

/** Defines a page for signed-in customers. */
export function customerPage<Q extends Schemas = undefined, F extends Schemas = undefined>(
  row: RowOf<Q, F, CustomerCall<Checked<Q>, Checked<F>>>,
): PageRoute {
  return { ...row, access: "customer" } as PageRoute;
}

/** Defines a page for signed-in operators. */
export function operatorPage<Q extends Schemas = undefined, F extends Schemas = undefined>(
  row: RowOf<Q, F, OperatorCall<Checked<Q>, Checked<F>>>,
): PageRoute {
  return { ...row, access: "operator" } as PageRoute;
}

export function redirect(to: string, more: Omit<Redirect, "kind" | "to"> = {}): Redirect {
  return { kind: "redirect", to, ...more };
}
