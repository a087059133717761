// The forms about signing keys. The operations require a recent sign-in.
import { backWith, type Forms, path } from '#app/(console)/_forms/form.ts';
import { formsOf } from '#app/(console)/_forms/questions.ts';
import { rotateSigningKeys } from '#lib/management/registry/keys.ts';

export const retirePath = (kid: string) => path('admin', 'keys', kid, 'retire');

export const keyForms: Forms = {
  'keys-rotate': backWith(() => '/admin/keys', 'key-rotated', rotateSigningKeys),
  ...formsOf('key-retire'),
};
