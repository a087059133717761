// The forms about signing keys. Both take a fresh sign-in, which the operations ask for.
import { mustConfirm } from '#app/(console)/_forms/confirm.ts';
import { done, type Forms, path } from '#app/(console)/_forms/form.ts';
import { previewKeyRetirement, retireSigningKey, rotateSigningKeys } from '#lib/management/index.ts';

export const retirePath = (kid: string) => path('admin', 'keys', kid, 'retire');

export const keyForms: Forms = {
  'keys-rotate': {
    page: () => '/admin/keys',
    run: async (actor) => {
      await rotateSigningKeys(actor);
      return done('/admin/keys', 'key-rotated');
    },
  },
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
