// Console form, submitted like a browser without scripts.
import { unescapeHtml } from '#testing/service/browser.ts';

const attributesOf = (tag: string) =>
  new Map(
    [...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescapeHtml(value)]),
  );

/** Returns the fields of the page's first form for this action, with their current values. */
export function formOnPage(page: string, action: string): [string, string][] {
  const forms = [...page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)];
  const found = forms.find(([, tag = '']) => attributesOf(tag).get('action') === action);
  if (!found)
    throw new Error(`the page has no form for ${action}: ${page.replaceAll(/<[^>]*>/g, ' ').slice(0, 300)}`);
  const inside = found[2] ?? '';
  return [...inputsOf(inside), ...textsOf(inside), ...choicesOf(inside)];
}

function inputsOf(form: string): [string, string][] {
  return [...form.matchAll(/<input\b([^>]*)>/g)].flatMap(([, tag = '']): [string, string][] => {
    const given = attributesOf(tag);
    const name = given.get('name');
    const type = given.get('type') ?? 'text';
    if (name === undefined || given.has('disabled') || type === 'submit' || type === 'file') return [];
    if ((type === 'checkbox' || type === 'radio') && !given.has('checked')) return [];
    return [[name, given.get('value') ?? (type === 'checkbox' ? 'on' : '')]];
  });
}

function textsOf(form: string): [string, string][] {
  return [...form.matchAll(/<textarea\b([^>]*)>([\s\S]*?)<\/textarea>/g)].flatMap(
    ([, tag = '', text = '']) => {
      const name = attributesOf(tag).get('name');
      // HTML ignores a line feed at the start of a textarea
      return name === undefined ? [] : [[name, unescapeHtml(text.replace(/^\n/, ''))] as [string, string]];
    },
  );
}

function choicesOf(form: string): [string, string][] {
  return [...form.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)].flatMap(([, tag = '', inside = '']) => {
    const name = attributesOf(tag).get('name');
    const options = [...inside.matchAll(/<option\b([^>]*)>/g)].map(([, option = '']) => attributesOf(option));
    const chosen = options.find((option) => option.has('selected')) ?? options[0];
    return name === undefined ? [] : [[name, chosen?.get('value') ?? ''] as [string, string]];
  });
}
