import type { Messages } from '../types.ts';

export const refusalsFr: Pick<
  Messages,
  'address' | 'delegation' | 'own_account' | 'password' | 'second_step' | 'link'
> = {
  address: {
    change_gone:
      'Ces codes ont déjà servi, sont trop anciens ou ont été incorrects trop souvent. Recommencez.',
    code_digits: 'Un code comporte six chiffres.',
    code_wrong: 'L’un des deux codes est incorrect.',
    configured: 'Le fichier de configuration vous décrit : faites-y modifier votre adresse.',
    none: 'Il n’y a ici aucune adresse à modifier.',
    none_to_verify: 'Il n’y a ici aucune adresse à confirmer.',
    same: 'C’est déjà votre adresse.',
    taken: 'Entre-temps, cette adresse a reçu son propre compte.',
  },
  delegation: {
    gone: 'Le droit de cet agent a déjà pris fin.',
    no_agent: 'Cet agent ne peut pas, ou ne peut plus, agir pour quelqu’un auprès de cette API.',
    scopes: 'Les scopes doivent faire partie de ceux que l’agent a auprès de cette API.',
    too_many: 'Une personne peut avoir au plus {most} agents : mettez d’abord fin à l’un d’eux.',
    until_far: 'Le dernier jour ne doit pas être à plus de {days} jours d’ici.',
    until_past: 'Le dernier jour doit être à venir.',
  },
  own_account: {
    device_name: 'Le nom doit compter au plus 60 caractères.',
    consent_gone: 'Ce consentement a déjà été révoqué.',
    gone: 'Votre compte n’existe plus.',
    language: 'Il faut une langue, par exemple de ou pt-BR.',
    link_gone: 'Ce lien a déjà servi ou est trop ancien. Demandez-en un autre.',
    picture:
      'Il faut une adresse https:// d’au plus 2048 caractères, sans nom d’utilisateur ni mot de passe.',
    session_gone: 'Cette session a déjà pris fin.',
    signed_out: 'Votre connexion a pris fin. Connectez-vous à nouveau.',
    too_many_mails: 'Trop d’e-mails. Attendez un moment, puis réessayez.',
    word: 'Il faut saisir « delete ».',
    zone: 'Il faut un fuseau horaire, par exemple Europe/Berlin.',
  },
  password: {
    no_method: 'Personne ne se connecte ici avec un mot de passe.',
    none: 'Il n’y a ici aucun mot de passe à modifier : vous vous connectez ailleurs.',
    same: 'C’est déjà votre mot de passe.',
    wrong: 'Ce n’est pas votre mot de passe.',
  },
  second_step: {
    apps_full: 'Vous avez cinq applications d’authentification, le maximum. Retirez-en une d’abord.',
    app_changed: 'Votre application a été remplacée ou retirée entre-temps : rouvrez cette page.',
    app_gone: 'Cette application a déjà été retirée.',
    at_console: 'Cela se fait dans la console.',
    browser_gone: 'Ce navigateur a déjà été oublié.',
    codes_alone:
      'Les codes de récupération remplacent une clé d’accès ou une application que vous avez perdue : configurez d’abord l’une des deux.',
    due: 'Il faut désormais un second facteur : configurez-en un.',
    none: 'Votre méthode de connexion n’a pas de second facteur ici.',
    passkey_gone: 'Cette clé d’accès a déjà été retirée.',
    passkey_name: 'Le nom doit compter de 1 à 60 caractères.',
  },
  link: {
    must_change: 'Votre mot de passe doit d’abord être changé.',
    no_longer_there: 'Cette méthode de connexion n’existe plus. Choisissez-en une autre.',
    too_many: 'Trop de connexions depuis votre réseau. Patientez un moment, puis réessayez.',
    at_console: 'Cela exige une connexion à la console.',
    gone: 'Cette méthode de connexion a déjà été retirée.',
    has_password:
      'Cette connexion appartient à un compte qui a un mot de passe. Connectez-vous avec ce compte et ajoutez-y cette méthode de connexion.',
    has_second_step:
      'Cette connexion appartient à un compte qui a son propre second facteur. Connectez-vous avec ce compte et retirez d’abord ce facteur.',
    in_use: 'Vous êtes connecté avec cette méthode en ce moment. Connectez-vous autrement, puis retirez-la.',
    last: 'C’est votre seule méthode de connexion.',
    other_name: 'Vous vous connectez déjà à ce service sous un autre nom. Retirez d’abord celui-ci.',
    proof_old: 'Cette connexion est trop ancienne, ou appartient à une autre session ici. Recommencez.',
    silent: 'Ce service ne répond pas. Réessayez dans un instant.',
    taken: 'Cette méthode de connexion est déjà la vôtre, ou n’existe plus.',
    wrong: 'Le nom d’utilisateur ou le mot de passe est incorrect.',
    yours: 'Cette méthode de connexion est déjà la vôtre.',
  },
};
