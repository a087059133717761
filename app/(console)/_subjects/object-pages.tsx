// The common start of pages about APIs, clients, groups and sign-in methods, and of confirmations for clients.
import type { ReactNode } from 'react';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { readApi } from '#lib/management/apis.ts';
import { MANAGEMENT_API } from '#lib/management/built-in.ts';
import { type ClientDetail, readClient } from '#lib/management/clients.ts';
import { listGroupUses, readGroup } from '#lib/management/groups.ts';
import { type AuthMethodView, readAuthMethod } from '#lib/management/methods.ts';
import { enter } from '#lib/management/operations.ts';
import type { Actor } from '#lib/management/policy.ts';
import type { ApiRow } from '#lib/registry/api.ts';
import { plainText } from '#lib/registry/display-text.ts';
import type { GroupRow } from '#lib/registry/group.ts';
import { methodKind } from '#lib/registry/methods/questions.ts';
import { MOST_COUNTED } from '#lib/registry/values.ts';
import { clientQuestion } from '../_kit/access.ts';
import { type Area, path as pathOf } from '../_kit/console-form.ts';
import { Dots, List, Row } from '../_kit/list.tsx';
import { Callout, Managed, Panel, Pill, Tabs, Title } from '../_kit/pieces.tsx';
import type { QuestionName } from '../_kit/questions.ts';
import { type Visit, visit } from '../_kit/visit.tsx';
import { say } from '../_texts/say.tsx';
import { clientPath, listOf, SHORT_KINDS } from './client-kinds.ts';
import { groupPath } from './group-forms.ts';
import { AskedInVain, ask } from './object-forms.tsx';

export type ApiPageProps = { params: Promise<{ apiId: string }>; searchParams: SearchParams };

/** The common start of every page about an API. */
export const pageAboutApi =
  (below: string | null, render: (visit: Visit & { api: ApiRow }) => Promise<ReactNode>) =>
  async ({ params, searchParams }: ApiPageProps): Promise<ReactNode> => {
    const { apiId } = await readPath(params);
    const path = pathOf('admin', 'apis', apiId, ...(below ? [below] : []));
    return visit({ area: 'admin', here: '/admin/apis', path, searchParams }, async (visited) => {
      const back = below
        ? { href: pathOf('admin', 'apis', apiId), label: say('The API') }
        : { href: '/admin/apis', label: say('APIs') };
      const api = await readApi(visited.actor, { id: apiId });
      const builtIn = api.id === MANAGEMENT_API;
      return (
        <>
          <Title
            back={back}
            lead={below ? undefined : plainText(api.description)}
            actions={
              below === null && (
                <>
                  <a className="button plain small" href={pathOf('admin', 'apis', apiId, 'why')}>
                    {say('Why?')}
                  </a>
                  {!builtIn && (
                    <>
                      <a className="button plain small" href={pathOf('admin', 'apis', apiId, 'texts')}>
                        {say('Texts')}
                      </a>
                      <a className="button plain small" href={pathOf('admin', 'apis', apiId, 'edit')}>
                        {say('Edit')}
                      </a>
                    </>
                  )}
                </>
              )
            }
          >
            <Name>{api.name}</Name>
            {api.managed && <Managed />}
          </Title>
          {builtIn && (
            <Callout>
              <p>
                {say(
                  'This API belongs to the service itself, for programs that manage it. It is built in and cannot be changed.',
                )}
              </p>
            </Callout>
          )}
          {await render({ ...visited, api })}
        </>
      );
    });
  };

/** A confirmation about an API, for administrators. */
export const askAboutApi = (below: string, name: QuestionName) =>
  pageAboutApi(below, async ({ api, ...visit }) => {
    await enter(visit.actor, { action: 'registry.manage' });
    const { id, version } = api;
    const fields = { id, ...(name === 'api-delete' && { version }) };
    return ask(visit, name, { fields, of: plainText(api.name), leave: pathOf('admin', 'apis', id) });
  });

type GroupPageProps = { params: Promise<{ groupId: string }>; searchParams: SearchParams };

/** The common start of every page about a group. */
export const pageAboutGroup =
  (below: string | null, render: (visit: Visit & { group: GroupRow }) => Promise<ReactNode>) =>
  async ({ params, searchParams }: GroupPageProps): Promise<ReactNode> => {
    const { groupId } = await readPath(params);
    const path = groupPath(groupId, ...(below ? [below] : []));
    return visit({ area: 'admin', here: '/admin/groups', path, searchParams }, async (visited) => {
      const back = below
        ? { href: groupPath(groupId), label: say('The group') }
        : { href: '/admin/groups', label: say('Groups') };
      const group = await readGroup(visited.actor, { id: groupId });
      return (
        <>
          <Title
            back={back}
            lead={below ? undefined : <code>{group.id}</code>}
            actions={
              below === null && (
                <a className="button plain small" href={groupPath(group.id, 'edit')}>
                  {say('Edit')}
                </a>
              )
            }
          >
            <Name>{group.name}</Name>
            {group.managed && <Managed />}
          </Title>
          {await render({ ...visited, group })}
        </>
      );
    });
  };

export const memberCount = ({ members: count }: GroupRow): string =>
  count > MOST_COUNTED
    ? say('more than {count, number} people', { count: MOST_COUNTED })
    : say('{count, plural, =0 {no one} one {# person} other {# people}}', { count });

/** Labels that show whether the user was added manually or by a rule, and the method that the rule names. */
export function OriginPills({ origins }: { origins: readonly string[] }) {
  return origins.map((origin) => (
    <Pill key={origin} tone="neutral">
      {origin === '' ? say('manually') : say('by {method}', { method: origin })}
    </Pill>
  ));
}

/** Places where APIs name the group. */
export async function UsePanel({ actor, id }: { actor: Actor; id: string }) {
  const uses = await listGroupUses(actor, { id });
  return (
    <Panel
      id="uses"
      heading={say('Purpose')}
      lead={
        uses.length === 0
          ? say('No API uses this group, so the group has no effect yet. Edit an API to add the group.')
          : undefined
      }
    >
      {uses.length > 0 && (
        <List label={say('Purpose')}>
          {uses.map(({ api, apiName, whole, scopes, roles }) => (
            <Row key={api} href={pathOf('admin', 'apis', api)} title={<Name>{apiName}</Name>}>
              <Dots>
                {whole && say('only for its groups')}
                {scopes.length > 0 &&
                  say('{count, plural, one {scope} other {scopes}} {names}', {
                    count: scopes.length,
                    names: scopes.join(', '),
                  })}
                {roles.length > 0 &&
                  say('{count, plural, one {role} other {roles}} {names}', {
                    count: roles.length,
                    names: roles.join(', '),
                  })}
              </Dots>
            </Row>
          ))}
        </List>
      )}
    </Panel>
  );
}

type MethodPageProps = { params: Promise<{ methodId: string }>; searchParams: SearchParams };

/** The common start of every page about a sign-in method. */
export const pageAboutMethod =
  (below: string | null, render: (visit: Visit & { method: AuthMethodView }) => Promise<ReactNode>) =>
  async ({ params, searchParams }: MethodPageProps): Promise<ReactNode> => {
    const { methodId } = await readPath(params);
    const methodPath = pathOf('admin', 'auth-methods', methodId);
    const path = below ? `${methodPath}/${below}` : methodPath;
    const page = { area: 'admin', here: '/admin/auth-methods', path, searchParams } as const;
    return visit(page, async (visited) => {
      const back = below
        ? { href: methodPath, label: say('The method') }
        : { href: '/admin/auth-methods', label: say('Sign-in methods') };
      const method = await readAuthMethod(visited.actor, { id: methodId });
      return (
        <>
          <Title
            back={back}
            lead={below ? undefined : say(methodKind(method.type).words.note)}
            actions={
              below === null && (
                <a className="button plain small" href={`${methodPath}/edit`}>
                  {say('Edit')}
                </a>
              )
            }
          >
            <Name>{method.name}</Name> <Pill tone="neutral">{method.type}</Pill>
            {method.managed && <Managed />}
          </Title>
          {await render({ ...visited, method })}
        </>
      );
    });
  };

// The common start of every page about a client, for developers and administrators.

type ClientPageProps = {
  params: Promise<{ clientId: string }>;
  searchParams: SearchParams;
};

export const pageAboutClient =
  (
    area: Area,
    below: string | null,
    render: (visit: Visit & { client: ClientDetail }) => Promise<ReactNode>,
  ) =>
  async ({ params, searchParams }: ClientPageProps): Promise<ReactNode> => {
    const { clientId } = await readPath(params);
    const path = clientPath(area, clientId, ...(below ? [below] : []));
    const page = { area, here: listOf(area).href, path, searchParams };
    return visit(page, async (visited) => {
      if (area === 'admin') await enter(visited.actor, { action: 'clients.see-all' });
      const client = await readClient(visited.actor, { clientId });
      return (
        <>
          <ClientTitle area={area} client={client} />
          <Tabs
            label={plainText(client.name)}
            here={path}
            tabs={[
              [clientPath(area, clientId), say('Overview')],
              [clientPath(area, clientId, 'requests'), say('Requests')],
              [clientPath(area, clientId, 'code'), say('Code')],
              [clientPath(area, clientId, 'why'), say('Why?')],
              ...(area === 'admin' && client.origin !== 'document' ? [textsTab(clientId)] : []),
            ]}
          />
          {await render({ ...visited, client })}
        </>
      );
    });
  };

const textsTab = (clientId: string): [string, string] => [
  clientPath('admin', clientId, 'texts'),
  say('Texts'),
];

function ClientTitle({ area, client }: { area: Area; client: ClientDetail }) {
  return (
    <Title
      back={listOf(area)}
      actions={
        // the document at its `client_id` describes the client
        client.origin !== 'document' && (
          <a className="button plain small" href={clientPath(area, client.clientId, 'edit')}>
            {say('Edit')}
          </a>
        )
      }
    >
      <Name>{client.name}</Name> <Pill tone="neutral">{say(SHORT_KINDS[client.kind])}</Pill>
      {client.disabled && (
        <Pill tone="refused">{client.origin === null ? say('disabled') : say('blocked')}</Pill>
      )}
      {client.managed && <Managed />}
    </Title>
  );
}

// Confirmations about a client, for developers and administrators.

type ClientQuestionProps = ClientPageProps & {
  params: Promise<{ clientId: string; question: string }>;
};

export const clientQuestionPage = (area: Area) => async (props: ClientQuestionProps) => {
  const { question: below } = await readPath(props.params);
  return pageAboutClient(area, below, async ({ client, query, ...visit }) => {
    const name = clientQuestion(below);
    const { clientId, version, disabled } = client;
    const leave = clientPath(area, clientId);
    if (name === 'client-disable' && disabled)
      return <AskedInVain why={say('This application is already disabled.')} leave={leave} />;
    const fields = {
      clientId,
      ...(name === 'client-delete' && { version }),
      ...(name === 'secret-drop' && { secretId: query['secret'] ?? '' }),
    };
    return ask(visit, name, { fields, of: plainText(client.name), leave });
  })(props);
};
