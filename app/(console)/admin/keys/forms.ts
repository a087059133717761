// The forms about signing keys. The operations require a recent sign-in.
import { mustConfirm } from '#app/(console)/_forms/confirm.ts';
import { backWith, done, type Forms, path } from '#app/(console)/_forms/form.ts';
import { previewKeyRetirement, retireSigningKey, rotateSigningKeys } from '#lib/management/index.ts';

export const retirePath = (kid: string) => path('admin', 'keys', kid, 'retire');

export const keyForms: Forms = {
  'keys-rotate': backWith(() => '/admin/keys', 'key-rotated', rotateSigningKeys),
  'key-retire': {
    page: (fields) => retirePath(fields.one('kid')),
    run: async (actor, fields) => {
      const kid = fields.one('kid');
      if (mustConfirm(await previewKeyRetirement(actor, { kid }), fields)) return { kind: 'confirm' };
      await retireSigningKey(actor, { kid });
      return done('/admin/keys', 'key-retired');
    },
  },
};
