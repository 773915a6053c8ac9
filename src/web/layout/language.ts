// POST /language: stores the language that the visitor chose.
import * as z from "zod";
import { type PageRoute, publicPage, redirect } from "../page_route.ts";
import { setLanguageCookie } from "../session/cookies.ts";
import { LANGUAGES } from "../texts/texts.ts";

export const languagePage: PageRoute = publicPage({
  method: "POST",
  path: "/language",
  // It changes only how pages are shown to the sender.
  anyOrigin: true,
  form: z.strictObject({ language: z.enum(LANGUAGES), return_to: z.string().optional() }),
  handle({ form }) {
    const { language } = form.good;
    const cookies = language === undefined ? [] : [setLanguageCookie(language)];
    return redirect(form.good.return_to ?? "/", { cookies });
  },
});
