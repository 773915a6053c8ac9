// A self-contained page with its Content Security Policy.
import { createHash } from "node:crypto";
import { Html, markup } from "./html.ts";
import shared from "./page.css" with { type: "text" };

export interface Page {
  html: string;
  /** The value of `Content-Security-Policy`, which allows what the page contains and requests to its own origin. */
  contentSecurityPolicy: string;
}

interface PageParts {
  title: string;
  /** Styles in addition to the shared ones. */
  style: string;
  script: string;
  body: Html;
}

/** The page's icon, inline, because browsers otherwise request /favicon.ico. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' " +
  "rx='3' fill='%230b5c63'/%3E%3Cpath d='M4 8h7M8 5l3 3-3 3' stroke='white' stroke-width='1.8' fill='none'/%3E%3C/svg%3E";

export function renderPage({ title, style: own, script, body }: PageParts): Page {
  const style = `${shared}\n${own}`;
  const whole = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${new Html(style)}</style>
</head>
<body>
${body}
<script>${new Html(script)}</script>
</body>
</html>`;
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return { html: whole.text, contentSecurityPolicy: policy.join("; ") };
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
