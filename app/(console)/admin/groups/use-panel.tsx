// Places where APIs name a group.
import { Name } from '#app/_components/pieces.tsx';
import { path } from '#app/(console)/_kit/console-form.ts';
import { Dots, List, Row } from '#app/(console)/_kit/list.tsx';
import { Panel } from '#app/(console)/_kit/pieces.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { listGroupUses } from '#lib/management/groups.ts';
import type { Actor } from '#lib/management/policy.ts';

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
            <Row key={api} href={path('admin', 'apis', api)} title={<Name>{apiName}</Name>}>
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
