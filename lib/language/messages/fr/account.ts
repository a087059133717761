import type { Messages } from '../types.ts';

export const accountFr: Pick<Messages, 'account'> = {
  account: {
    may_not: 'Vous n’êtes pas autorisé à faire cela',
    another_link: 'Demander un autre lien',
    back_to_sign_in: 'Retour à la connexion',
    choose_password: 'Choisir un nouveau mot de passe',
    link_used: 'Ce lien ne fonctionne plus',
    link_used_lead: 'Il a déjà servi ou est trop ancien.',
    mail_here: 'Ce service n’a pas de serveur de messagerie : lisez l’e-mail sur {address}.',
    marked: 'Rien n’a encore été enregistré. Vérifiez ce qui est signalé ci-dessous.',
    new_password: 'Nouveau mot de passe',
    not_there: 'Introuvable',
    open_again: 'Rouvrir la page',
    reset_asked:
      'Ouvrez le lien de l’e-mail dans les {minutes} minutes. Rien reçu ? Regardez dans les courriers indésirables.',
    reset_for:
      'Pour {email}. Toutes les sessions prennent fin, et vous vous connectez avec ce nouveau mot de passe.',
    reset_lead: 'Nous envoyons un lien à votre adresse. Il fonctionne une seule fois.',
    reset_notice: 'S’il existe un compte avec cette adresse, un lien est en route.',
    reset_sent: 'Consultez vos e-mails',
    save_password: 'Enregistrer le mot de passe',
    send_link: 'Envoyer le lien',
    to_account: 'Aller à votre compte',
    too_old: 'Cette page est restée ouverte trop longtemps, ou dans un autre navigateur. Réessayez.',
    unreachable:
      'Le service n’a pas répondu. Attendez un instant, puis renvoyez : l’envoi n’est pris en compte qu’une fois.',
    verify: 'Oui, c’est la mienne',
    verify_heading: 'Est-ce votre adresse ?',
    verify_used_lead: 'Il a déjà servi ou est trop ancien. Votre compte permet d’en demander un autre.',
  },
};
