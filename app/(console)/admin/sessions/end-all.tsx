import { path } from '#app/(console)/_kit/console-form.ts';
import { Panel } from '#app/(console)/_kit/pieces.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import type { PersonView } from '#lib/store/people.ts';

export function EndAll({ person }: { person: PersonView }) {
  const name = person.name || person.email || say('this person');
  return (
    <Panel
      id="person"
      heading={say('Only sessions of {name}', { name })}
      lead={say('Signing a person out everywhere also revokes their tokens.')}
    >
      <div className="form-actions">
        <a className="button danger" href={path('admin', 'people', person.id, 'sign-out')}>
          {say('Sign out everywhere…')}
        </a>
        <a className="button quiet" href={path('admin', 'people', person.id)}>
          {say('Person’s page')}
        </a>
        <a className="button quiet" href="/admin/sessions">
          {say('Sessions of all people')}
        </a>
      </div>
    </Panel>
  );
}
