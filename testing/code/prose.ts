// Recognizes literals in the code of a page that users read.

/** Attributes whose values only programs read. */
const NOT_READ = new Set([
  'className',
  'href',
  'action',
  'id',
  'key',
  'type',
  'name',
  'value',
  'autoComplete',
  'cursorName',
  'path',
  'rel',
  'data-kinds',
]);

/** Matches a literal that reads like a sentence or a heading. */
const PROSE =
  /^(?=.*\p{L}{2})(?:\p{Lu}[\p{L}’]*(?:[ ,].*)?[\p{L}.!?…:)’]|.*\p{Ll}{2,} .*\p{Ll}{2,} .*[.!?…:]|\p{Ll}+(?: [\p{L}’,-]+){2,}[.!?:]?)$/su;

export function isProse(text: string, attribute: string | null): boolean {
  if (attribute !== null && NOT_READ.has(attribute)) return false;
  if (/^(?:https?:|\/|#|\.\/|use )/.test(text)) return false;
  return PROSE.test(text.trim()) && !/^[A-Z_-]{3,}$/.test(text.replaceAll('{}', '').trim());
}
