// The forms about signing keys. The operations require a recent sign-in.
import { confirmedForm } from '#app/(console)/_forms/confirm.ts';
import { backWith, type Forms, path } from '#app/(console)/_forms/form.ts';
import { previewKeyRetirement, retireSigningKey, rotateSigningKeys } from '#lib/management/index.ts';

export const retirePath = (kid: string) => path('admin', 'keys', kid, 'retire');

export const keyForms: Forms = {
  'keys-rotate': backWith(() => '/admin/keys', 'key-rotated', rotateSigningKeys),
  'key-retire': confirmedForm({
    page: (fields) => retirePath(fields.one('kid')),
    read: (fields) => ({ kid: fields.one('kid') }),
    preview: previewKeyRetirement,
    run: retireSigningKey,
    to: () => '/admin/keys',
    notice: 'key-retired',
  }),
};
