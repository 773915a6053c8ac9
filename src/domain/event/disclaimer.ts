// The disclaimer in every response with data and in every delivery (specification, section 1.7).

export const DISCLAIMER =
  "For information only; not legal advice. The official publication is authoritative.";
