import type { ReactNode } from 'react';
import { Name } from '#app/_components/name.tsx';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { type AuthMethodView, readAuthMethod } from '#lib/management/registry/methods.ts';
import { methodKind } from '#lib/registry/methods/questions.ts';
import { path as pathOf } from '../_forms/form.ts';
import { say } from '../_texts/say.tsx';
import { Managed, Pill, Title } from '../_ui/pieces.tsx';
import { type Visit, visit } from '../_visit/visit.tsx';

export type MethodPageProps = { params: Promise<{ methodId: string }>; searchParams: SearchParams };

/** What every page about one sign-in method begins with. */
export async function visitMethod(
  { params, searchParams }: MethodPageProps,
  below: string | null,
  render: (visit: Visit & { method: AuthMethodView }) => Promise<ReactNode>,
): Promise<ReactNode> {
  const { methodId } = await readPath(params);
  const own = pathOf('admin', 'auth-methods', methodId);
  const path = below ? `${own}/${below}` : own;
  const page = { area: 'admin', here: '/admin/auth-methods', path, searchParams } as const;
  return visit(page, async (visited) => {
    const back = below
      ? { href: own, label: say('The method') }
      : { href: '/admin/auth-methods', label: say('Sign-in methods') };
    const method = await readAuthMethod(visited.actor, { id: methodId });
    return (
      <>
        <Title
          back={back}
          lead={below ? undefined : say(methodKind(method.type).words.note)}
          actions={
            below === null && (
              <a className="button plain small" href={`${own}/edit`}>
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
}
