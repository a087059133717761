import type { ReactNode } from 'react';
import { Name } from '#app/_components/name.tsx';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { MANAGEMENT_API } from '#lib/management/core/built-in.ts';
import { enter } from '#lib/management/core/operation.ts';
import { readApi } from '#lib/management/registry/apis.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import type { ApiRow } from '#lib/registry/objects/api.ts';
import { path as pathOf } from '../_forms/form.ts';
import type { QuestionName } from '../_forms/questions.ts';
import { ask } from '../_objects/ask.tsx';
import { say } from '../_texts/say.tsx';
import { Callout, Managed, Title } from '../_ui/pieces.tsx';
import { type Visit, visit } from '../_visit/visit.tsx';

export type ApiPageProps = { params: Promise<{ apiId: string }>; searchParams: SearchParams };

/** What every page about one API begins with. */
export async function visitApi(
  { params, searchParams }: ApiPageProps,
  below: string | null,
  render: (visit: Visit & { api: ApiRow }) => Promise<ReactNode>,
): Promise<ReactNode> {
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
                'This API is this service’s own, for programs that manage it. It is built in and stays as it is.',
              )}
            </p>
          </Callout>
        )}
        {await render({ ...visited, api })}
      </>
    );
  });
}

/** A question about an API, for administrators. */
export function askAboutApi(props: ApiPageProps, below: string, name: QuestionName): Promise<ReactNode> {
  return visitApi(props, below, async ({ api, ...visit }) => {
    await enter(visit.actor, { action: 'registry.manage' });
    const { id, version } = api;
    const fields = { id, ...(name === 'api-delete' && { version }) };
    return ask(visit, name, { fields, of: plainText(api.name), leave: pathOf('admin', 'apis', id) });
  });
}
