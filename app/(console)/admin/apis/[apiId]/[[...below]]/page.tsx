// Pages about an API: its settings, brand, texts and credentials, and the answer to “Why?”.
import type { ReactNode } from 'react';
import { path } from '#app/(console)/_kit/console-form.ts';
import { untitled } from '#app/(console)/_kit/page-language.ts';
import { Callout, Fact, Facts, Panel, Pill } from '#app/(console)/_kit/pieces.tsx';
import { readForm } from '#app/(console)/_kit/posted.ts';
import { brandPage } from '#app/(console)/_subjects/brand-panel.tsx';
import { DefinedFacts, Ids } from '#app/(console)/_subjects/object-facts.tsx';
import { ApiFields } from '#app/(console)/_subjects/object-fields.tsx';
import { DeletePanel, renderEdit } from '#app/(console)/_subjects/object-forms.tsx';
import {
  type ObjectVisit,
  objectPages,
  type PageOf,
  questionPage,
} from '#app/(console)/_subjects/object-page.tsx';
import { textsPage } from '#app/(console)/_subjects/texts-panel.tsx';
import { renderApiWhy } from '#app/(console)/_subjects/why.tsx';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { type ApiRow, api as definition } from '#lib/catalogue/apis/definition.ts';
import { previewApiChange, readApi } from '#lib/catalogue/apis/operations.ts';
import { listGroupNames } from '#lib/catalogue/groups/operations.ts';
import { pageAuthMethods } from '#lib/catalogue/methods/operations.ts';
import { MANAGEMENT_API } from '#lib/management/built-in.ts';
import { readDecidedApi } from '#lib/management/explanation.ts';
import { enter } from '#lib/management/operations.ts';
import { mayDo } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { defaultsOf, formFields } from '#lib/registry/definition.ts';
import { plainText } from '#lib/registry/display-text.ts';

export const metadata = untitled;

const LINKS = { authMethods: '/admin/auth-methods', groups: '/admin/groups', roles: '/admin/groups' };

const apiPath = (id: string, ...below: string[]) => path('admin', 'apis', id, ...below);

/** For an approver, who can only open the page “Why?”, the API has no other fields. */
type AnyApi = ApiRow | Pick<ApiRow, 'id' | 'name'>;
const isWhole = (api: AnyApi): api is ApiRow => 'version' in api;
const isOwn = ({ id }: ApiRow) => id !== MANAGEMENT_API;

const aboutSecret = async ({ id, name }: ApiRow, { actor }: ObjectVisit) => {
  await enter(actor, { action: 'registry.manage' });
  return { fields: { id }, of: name, leave: apiPath(id) };
};

const aboutDeletion = async ({ id, name, version }: ApiRow, { actor }: ObjectVisit) => {
  await enter(actor, { action: 'registry.manage' });
  return { fields: { id, version }, of: name, leave: apiPath(id, 'edit') };
};

const PAGES: Readonly<Record<string, PageOf<ApiRow>>> = {
  '': { label: toSay('Overview'), tab: true, render: (api) => <Overview api={api} /> },
  edit: { label: toSay('Settings'), tab: isOwn, anchors: ['ending'], render: renderSettings },
  brand: brandPage<ApiRow>({
    form: 'api-brand',
    tab: isOwn,
    id: ({ id }) => ({ id }),
    lead: toSay('The look of sign-in and consent for this API, unless the client has its own brand.'),
  }),
  texts: textsPage<ApiRow>({
    form: 'api-texts',
    tab: isOwn,
    right: 'registry.manage',
    id: ({ id }) => ({ id }),
  }),
  credential: questionPage('api-secret', aboutSecret),
  delete: questionPage('api-delete', aboutDeletion),
};

const ofWhole = ({ tab, render, ...page }: PageOf<ApiRow>): PageOf<AnyApi> => ({
  ...page,
  ...(tab && { tab: (api) => isWhole(api) && (tab === true || tab(api)) }),
  render: (api, visit) => {
    if (!isWhole(api)) throw new Refused('api.unknown', { api: api.id });
    return render(api, visit);
  },
});

export default objectPages<AnyApi>({
  area: 'admin',
  param: 'apiId',
  kind: toSay('API'),
  here: '/admin/apis',
  list: (actor) =>
    mayDo(actor, 'registry.read')
      ? { href: '/admin/apis', label: say('APIs') }
      : { href: '/admin/subscriptions', label: say('Subscriptions') },
  path: apiPath,
  read: (actor, id, step) =>
    step === 'why' && !mayDo(actor, 'registry.read') ? readDecidedApi(actor, { id }) : readApi(actor, { id }),
  head: (api) => ({
    name: api.name,
    ...(isWhole(api) && {
      lead: plainText(api.description),
      managed: api.managed,
      notice: !isOwn(api) && (
        <Callout>
          <p>
            {say(
              'This API belongs to the service itself, for programs that manage it. It is built in and cannot be changed.',
            )}
          </p>
        </Callout>
      ),
    }),
  }),
  pages: {
    ...Object.fromEntries(Object.entries(PAGES).map(([step, page]) => [step, ofWhole(page)])),
    why: { label: toSay('Why?'), tab: true, render: renderApiWhy },
  },
});

function Overview({ api }: { api: ApiRow }) {
  return (
    <>
      <Panel
        id="published"
        heading={say('Published')}
        aside={<a href={`/apis/${encodeURIComponent(api.id)}`}>{say('Public page, with its issuers')}</a>}
      >
        <Facts>
          <DefinedFacts
            fields={formFields(definition)}
            of={api}
            defaults={defaultsOf(definition)}
            links={LINKS}
          />
          {api.formerIssuers && (
            <Fact name={say('Former issuers')}>
              {api.formerIssuers.map(({ issuer, until }) => (
                <div key={issuer}>
                  <code>{issuer}</code>{' '}
                  <span className="soft">
                    {say('valid until')} <time dateTime={until}>{until}</time>
                  </span>
                </div>
              ))}
            </Fact>
          )}
          <Fact name={say('Subscriptions')}>
            <a href={`/admin/subscriptions?${new URLSearchParams({ search: api.id })}`}>
              {api.subscriptions}
            </a>
            {api.pending > 0 && <>, {say('{count} waiting', { count: api.pending })}</>}
          </Fact>
          <Fact name={say('Verification')}>
            <a href="/documentation/guides/protect-an-api">{say('How the API verifies tokens')}</a>
          </Fact>
        </Facts>
      </Panel>
      <Panel
        id="scopes"
        heading={say('Scopes')}
        lead={api.scopes.length === 0 ? say('None: its tokens have no scope.') : undefined}
      >
        {api.scopes.length > 0 && (
          <Facts>
            {api.scopes.map(({ name, description, groups = [] }) => (
              <Fact key={name} name={<code>{name}</code>}>
                {plainText(description)}
                {groups.length > 0 && (
                  <p className="soft">
                    <Say
                      text="Only for people in {groups}"
                      values={{ groups: <Ids of={groups} at={LINKS.groups} /> }}
                    />
                  </p>
                )}
              </Fact>
            ))}
          </Facts>
        )}
      </Panel>
      <Panel
        id="introspection"
        heading={say('API credentials')}
        lead={say(
          'The API uses these credentials for token introspection, with its id as the username. New credentials replace the existing ones.',
        )}
        aside={
          api.hasIntrospectionSecret ? (
            <Pill tone="good">{say('set')}</Pill>
          ) : (
            <Pill tone="neutral">{say('none yet')}</Pill>
          )
        }
      >
        <div className="form-actions">
          <a className="button plain" href={apiPath(api.id, 'credential')}>
            {api.hasIntrospectionSecret ? say('Replace credentials…') : say('Create credentials…')}
          </a>
        </div>
      </Panel>
    </>
  );
}

async function renderSettings(api: ApiRow, visit: ObjectVisit): Promise<ReactNode> {
  const { actor } = visit;
  await enter(actor, { action: 'registry.manage' });
  const { id, version } = api;
  const methods = (await pageAuthMethods(actor, { limit: 200 })).rows;
  const groups = await listGroupNames(actor);
  return (
    <>
      {
        await renderEdit(visit, 'api-change', {
          fields: { id, version },
          leave: apiPath(id),
          preview: ({ typed }) => previewApiChange(actor, { ...readForm(definition, typed), id }),
          children: (typed) => <ApiFields stored={api} {...{ typed, methods, groups }} isNew={false} />,
        })
      }
      {isOwn(api) && (
        <DeletePanel
          lead={say('The API’s subscriptions, consents and tokens are deleted as well.')}
          href={apiPath(id, 'delete')}
          label={say('Delete API…')}
        />
      )}
    </>
  );
}
