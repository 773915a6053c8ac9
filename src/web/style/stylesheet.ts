// The one stylesheet: tokens first, then what all pages share, then the areas.
import tokens from "./tokens.css" with { type: "text" };
import base from "./base.css" with { type: "text" };
import layout from "./layout.css" with { type: "text" };
import components from "./components.css" with { type: "text" };
import forms from "./forms.css" with { type: "text" };
import signIn from "./sign_in.css" with { type: "text" };
import status from "./status.css" with { type: "text" };
import docs from "./docs.css" with { type: "text" };
import consoleStyle from "./console.css" with { type: "text" };
import feed from "./feed.css" with { type: "text" };
import operator from "./operator.css" with { type: "text" };
import print from "./print.css" with { type: "text" };

export const STYLESHEET: string = [
  tokens,
  base,
  layout,
  components,
  forms,
  signIn,
  status,
  docs,
  consoleStyle,
  feed,
  operator,
  print,
].map(withoutComments).join("\n");

/** Removes comments and indentation. No string in the styles contains either. */
function withoutComments(css: string): string {
  return css.replace(/\/\*[^*]*\*\//g, "").replace(/\n\s*/g, "\n").trim();
}
