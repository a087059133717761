export const registerFr = {
  register: {
    another_address: 'Utiliser une autre adresse',
    another_code: 'Envoyer un nouveau code',
    approval_lead: 'Un administrateur décide si vous l’obtenez. Confirmez d’abord que l’adresse est à vous.',
    approved: 'Connectez-vous avec le mot de passe que vous avez choisi.',
    approved_elsewhere:
      'Revenez à l’application et connectez-vous-y avec le mot de passe que vous avez choisi.',
    ask: 'Demander le compte',
    closed:
      'Les comptes sont créés par l’exploitant de ce service. Revenez à l’application, ou renseignez-vous auprès d’elle.',
    closed_heading: 'Vous ne pouvez pas créer de compte ici',
    code_heading: 'Saisissez le code',
    code_hint:
      'Six chiffres ; le lien à côté fait la même chose dans ce navigateur. Rien reçu ? Regardez dans les courriers indésirables.',
    code_lead: 'Nous avons envoyé un e-mail à {email}. Son code est valable dix minutes.',
    create: 'Créer le compte',
    elsewhere:
      'Ce lien fonctionne pendant dix minutes dans le navigateur qui l’a demandé. Saisissez-y le code de l’e-mail, ou revenez à l’application et recommencez.',
    elsewhere_heading: 'Saisissez le code là où vous avez commencé',
    email_hint: 'Nous y envoyons un code pour confirmer que l’adresse est à vous.',
    full: 'Personne d’autre ne peut demander de compte pour le moment, et rien de ce que vous avez saisi n’a été conservé. Réessayez un autre jour.',
    full_heading: 'Trop de personnes attendent',
    gone: 'Le formulaire a été envoyé deux fois, ou trop tard. Connectez-vous avec le mot de passe que vous avez choisi, ou recommencez.',
    gone_heading: 'Cette page n’est plus nécessaire',
    invitation_gone:
      'Elle a été utilisée ou retirée, ou elle est trop ancienne. Si vous avez créé votre compte avec elle, connectez-vous ; sinon, demandez à la personne qui vous a invité.',
    invitation_gone_heading: 'Cette invitation ne fonctionne pas',
    invited_lead: 'Vous êtes invité en tant que {email}. Choisissez comment vous connecter.',
    lead: 'Il suffit d’une adresse e-mail et d’un mot de passe.',
    link_heading: 'Confirmez votre adresse',
    link_lead:
      'Vous avez ouvert l’e-mail envoyé à {email}. Continuez ici, ou ne faites rien si vous n’avez pas demandé de compte.',
    name: 'Nom',
    name_wrong: 'Ce nom est trop long ou contient des caractères invisibles.',
    not_an_address: 'Ce n’est pas une adresse e-mail. Elle ressemble à ada@example.com.',
    password_heading: 'Choisissez un mot de passe',
    password_lead: '{email} est à vous. Choisissez maintenant comment vous connecter avec cette adresse.',
    ready: 'Votre adresse est confirmée et vous pouvez vous connecter avec votre mot de passe.',
    ready_heading: 'Votre compte est prêt',
    send: 'Envoyer le code',
    sent_again: 'Nous avons envoyé un nouveau code. Le précédent ne fonctionne plus.',
    taken:
      'Entre-temps, un compte a été créé pour votre adresse. Connectez-vous ou choisissez un nouveau mot de passe.',
    taken_heading: 'Vous avez déjà un compte',
    too_many_mails: 'Trop d’e-mails ont été demandés. Attendez un moment, puis réessayez.',
    too_many_mails_until: 'Trop d’e-mails ont été demandés. Réessayez à {time} (UTC).',
    waits:
      'Un administrateur décide si vous obtenez un compte, et un e-mail vous indiquera la décision. Connectez-vous ensuite avec le mot de passe que vous avez choisi.',
    waits_already:
      'Vous avez déjà demandé un compte. Cette demande est toujours en attente, avec le mot de passe choisi alors. Un e-mail vous indiquera la décision.',
    wrong_code: 'Ce code est incorrect. Après cinq codes incorrects, demandez-en un nouveau.',
    wrong_link: 'Ce lien est trop ancien ou appartient à un autre e-mail. Saisissez plutôt le code.',
  },
  new_password: {
    by_passkey:
      'Votre mot de passe doit être remplacé, et votre second facteur est demandé en même temps. Vous n’avez que des clés d’accès : connectez-vous avec l’une d’elles.',
    fair: 'Moyen : un mot de plus le renforce beaucoup',
    good: 'Bon',
    hint: 'Au moins {least} caractères. Plusieurs mots à la suite sont faciles à retenir et difficiles à deviner. N’utilisez ni votre nom ni votre adresse.',
    hide: 'Masquer',
    known: 'Ce mot de passe est trop facile à deviner : beaucoup de gens l’utilisent.',
    leaked: 'D’autres connaissent ce mot de passe : il figurait dans une fuite de données.',
    long: 'Un mot de passe a au plus 200 caractères.',
    more: 'Encore {count, plural, one {# caractère} many {# caractères} other {# caractères}}',
    owed: 'Pour {person}. Votre mot de passe doit être remplacé avant de continuer. Celui que vous venez d’utiliser ne peut pas être choisi de nouveau.',
    own_words:
      'Ce mot de passe est trop facile à deviner : c’est une adresse ou un nom que d’autres connaissent.',
    short: 'Un mot de passe a au moins {least} caractères.',
    show: 'Afficher',
    strong: 'Fort',
    too_easy: 'Ce mot de passe est trop facile à deviner.',
    weak: 'Faible : toujours les mêmes caractères',
  },
  passkey: {
    asking:
      'Votre navigateur demande maintenant votre clé d’accès. Si rien ne se passe, appuyez de nouveau sur le bouton ou choisissez un autre moyen.',
    exists_there: 'Il existe déjà une clé d’accès pour ce compte sur cet appareil.',
    full: 'Vous avez 20 clés d’accès. Retirez-en une que vous n’utilisez plus, puis ajoutez celle-ci.',
    nothing_used: 'Aucune clé d’accès n’a été utilisée. Vous pouvez réessayer ou choisir un autre moyen.',
    picture: 'Code QR pour une application d’authentification',
  },
  page: {
    copied: 'Copié',
    framed: 'Cette page ne peut pas s’afficher dans un cadre',
    framed_lead: 'Ouvrez son adresse dans la fenêtre elle-même, ou demandez avec prompt=none.',
    yours: 'Cette connexion est la vôtre.',
  },
};
