// Pages about an object. A description of the kind of object lists its pages, and one route file (`[[...below]]`) serves
// all of them: the object's page, its tabs and its confirmations.
import type { ReactNode } from 'react';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { readableLine } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { Refused } from '#lib/management/refused.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import type { Area } from '../_kit/console-form.ts';
import { type Crumb, Managed, managedWords, Title, type TitleProps } from '../_kit/pieces.tsx';
import { QUESTIONS, type QuestionName } from '../_kit/questions.ts';
import { type Visit, visit, windowTitle } from '../_kit/visit.tsx';
import { say } from '../_texts/say.tsx';
import { ask } from './object-forms.tsx';

/** `here`: address of the page. `step`: its last part; empty on the object's own page. */
export type ObjectVisit = Visit & { area: Area; here: string; step: string };

/** A page about an object, or below it. */
export type PageOf<Of> = {
  /** English text of the tab, of the last breadcrumb, and in the title of the window */
  label: string | ((step: string) => string);
  /** true if this object has a tab for the page; missing: the page has no tab. If false, the page does not exist */
  tab?: true | ((object: Of) => boolean);
  /** ids of panels on this page that were on the object's page before: links to them lead to the tab */
  anchors?: readonly string[];
  render: (object: Of, visit: ObjectVisit) => ReactNode | Promise<ReactNode>;
};

/** Name of the object, with its state and kind, as the heading of each page about it. */
type Head = Pick<TitleProps, 'lead'> & {
  name: DisplayText;
  pills?: ReactNode;
  /** true: the configuration file defines the object */
  managed?: boolean;
  /** content above each page about the object */
  notice?: ReactNode;
};

type Objects<Of> = {
  area: Area;
  /** name of the id in the address */
  param: string;
  /** English name of the object's kind: window title of pages without an object */
  kind: string;
  /** the selected item of the navigation */
  here: string;
  list: (actor: ConsoleActor) => { href: string; label: string };
  path: (id: string, ...below: string[]) => string;
  read: (actor: ConsoleActor, id: string, step: string) => Promise<Of>;
  head: (object: Of) => Head;
  /** `''`: the object's page. `[question]`: every page without an entry. Entries with a tab are in its order. */
  pages: Readonly<Record<string, PageOf<Of>>>;
};

type Props = {
  params: Promise<{ below?: string[]; [part: string]: string | string[] | undefined }>;
  searchParams: SearchParams;
};

/** Component of a route file. `steps`: its pages, for the address table. */
export function objectPages<Of>(objects: Objects<Of>) {
  const { area, param, kind, path, read, pages } = objects;
  const page = async ({ params, searchParams }: Props): Promise<ReactNode> => {
    const { below = [], [param]: idInPath } = await readPath(params);
    const [id, step] = [String(idInPath), below.join('/')];
    const here = path(id, ...below);
    return visit({ area, here: objects.here, path: here, searchParams, kind }, async (visited) => {
      const shown = ownValue(pages, step) ?? pages['[question]'];
      if (!shown) throw new Refused('question.unknown');
      const object = await read(visited.actor, id, step);
      if (typeof shown.tab === 'function' && !shown.tab(object)) throw new Refused('question.unknown');
      return (
        <ObjectPage {...objects} {...{ id, step, object }} actor={visited.actor} label={labelOf(shown, step)}>
          {await shown.render(object, { ...visited, area, here, step })}
        </ObjectPage>
      );
    });
  };
  return Object.assign(page, { steps: Object.keys(pages) });
}

const labelOf = ({ label }: Pick<PageOf<never>, 'label'>, step: string) =>
  say(typeof label === 'string' ? label : label(step));

type ObjectPageProps<Of> = Objects<Of> & {
  id: string;
  step: string;
  object: Of;
  actor: ConsoleActor;
  label: string;
  children: ReactNode;
};

/** Window title, breadcrumbs, heading and tabs of an object page. */
function ObjectPage<Of>({
  list,
  path,
  head,
  pages,
  id,
  step,
  object,
  actor,
  label,
  children,
}: ObjectPageProps<Of>) {
  const { name, pills, managed = false, lead, notice } = head(object);
  const title = readableLine(plainText(name)) ?? id;
  const tabs = Object.entries(pages).filter(([, { tab }]) => tab === true || tab?.(object));
  const isOpen = tabs.some(([below]) => below === '');
  const above: Crumb = { label: <Name>{name}</Name>, ...(isOpen && { href: path(id) }) };
  const crumbs: Crumb[] = step === '' ? [] : [above, { label }];
  return (
    <>
      <title>{windowTitle(...(step === '' ? [] : [label]), title, list(actor).label)}</title>
      <Title back={[list(actor), ...crumbs]} lead={step === '' && lead}>
        <Name>{name}</Name> {pills} {managed && <Managed />}
      </Title>
      {managed && step === '' && <p className="soft">{managedWords()}</p>}
      {tabs.length > 1 && (
        <nav className="tabs" aria-label={title}>
          {tabs.map(([below, tab]) => (
            <Tab
              key={below}
              href={path(id, ...(below ? [below] : []))}
              isHere={below === step}
              label={labelOf(tab, below)}
              anchors={tab.anchors ?? [below]}
            />
          ))}
        </nav>
      )}
      {notice}
      {children}
    </>
  );
}

type TabProps = { href: string; isHere: boolean; label: string; anchors: readonly string[] };

/** The link of a tab. Its id is the first anchor: after a jump to it, the Tab key continues with this link. */
function Tab({ href, isHere, label, anchors }: TabProps) {
  const [first, ...others] = isHere ? [] : anchors.filter((anchor) => anchor !== '');
  return (
    <>
      {others.map((anchor) => (
        <span key={anchor} id={anchor} />
      ))}
      <a href={href} id={first} aria-current={isHere ? 'page' : undefined}>
        {label}
      </a>
    </>
  );
}

type QuestionAbout = {
  /** hidden fields of the form */
  fields: Record<string, string | number>;
  of: DisplayText;
  /** address of the cancel link */
  leave: string;
};

/** The page of a confirmation, whose label is the text of its button. */
export const questionPage = <Of,>(
  name: QuestionName,
  about: (object: Of, visit: ObjectVisit) => QuestionAbout | Promise<QuestionAbout>,
): PageOf<Of> => ({
  label: QUESTIONS[name].words.submit,
  render: async (object, visit) => {
    const { of, ...asking } = await about(object, visit);
    return ask(visit, name, { ...asking, of: plainText(of) });
  },
});
