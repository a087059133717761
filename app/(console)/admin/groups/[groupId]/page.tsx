import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Fact, Facts, Panel } from '#app/(console)/_kit/pieces.tsx';
import { groupPath } from '#app/(console)/_subjects/group-forms.ts';
import { pageAboutGroup } from '#app/(console)/_subjects/object-pages.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import type { GroupRule } from '#lib/registry/group.ts';
import { MemberPanel, membersShown } from '../member-panel.tsx';
import { UsePanel } from '../use-panel.tsx';

export const generateMetadata = pageTitle('Group');

export default pageAboutGroup(null, async ({ group, ...visited }) => {
  const page = await membersShown(visited, group.id);
  return (
    <>
      <MemberPanel group={group} page={page} {...visited} />
      <RulePanel rules={group.from} />
      <UsePanel actor={visited.actor} id={group.id} />
      <Panel
        id="ending"
        heading={say('Delete')}
        lead={
          group.apis.length === 0
            ? say('The group’s rules and its list of people are deleted as well. The people stay.')
            : say('Cannot be deleted while an API uses it.')
        }
      >
        {group.apis.length === 0 && (
          <div className="form-actions">
            <a className="button danger" href={groupPath(group.id, 'delete')}>
              {say('Delete…')}
            </a>
          </div>
        )}
      </Panel>
    </>
  );
});

function RulePanel({ rules }: { rules: readonly GroupRule[] }) {
  return (
    <Panel
      id="rules"
      heading={say('Rules')}
      lead={
        rules.length === 0
          ? say('None: people are only added manually.')
          : say(
              'At each sign-in with the method, people with one of the values are added, and people without any of them are removed.',
            )
      }
    >
      {rules.length > 0 && (
        <Facts>
          {rules.map(({ auth_method: method, claim, values }) => (
            <Fact
              key={`${method} ${claim} ${values[0]}`}
              name={
                <>
                  <a href={`/admin/auth-methods/${encodeURIComponent(method)}`}>{method}</a>{' '}
                  <code>{claim}</code>
                </>
              }
            >
              {values.map((value) => (
                <div key={value}>
                  <code>{value}</code>
                </div>
              ))}
            </Fact>
          ))}
        </Facts>
      )}
    </Panel>
  );
}
