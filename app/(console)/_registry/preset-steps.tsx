// What to do at a provider that is known by name, and what to register there.

import { CopyField } from '#app/_components/copy-field.tsx';
import { ownCallbackUris } from '#lib/auth-methods/callback.ts';
import type { Preset } from '#lib/registry/methods/broker/preset.ts';
import { say } from '../_texts/say.tsx';
import { copyWords } from '../_ui/copy-words.ts';

/** `id`: of the method, or the one that is proposed. */
export function PresetSteps({ preset, id }: { preset: Preset; id: string }) {
  return (
    <>
      {ownCallbackUris(id).map((address) => (
        <CopyField
          key={address}
          label={say('redirect address')}
          value={address}
          said={copyWords(say('redirect address'))}
        />
      ))}
      <ol>
        <li>
          <a href={preset.registration} rel="noreferrer" target="_blank">
            {preset.registration}
          </a>
        </li>
        {preset.steps.map((step) => (
          <li key={step}>{say(step)}</li>
        ))}
      </ol>
    </>
  );
}
