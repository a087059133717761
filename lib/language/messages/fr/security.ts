import type { Messages } from '../types.ts';

export const securityFr: Pick<Messages, 'security' | 'links'> = {
  security: {
    apps: 'Applications d’authentification',
    app_another: 'Ajouter une autre application',
    no_app: 'Cette application n’existe pas',
    nudge_codes:
      'Il ne reste que {left, plural, one {# code de récupération.} many {# codes de récupération.} other {# codes de récupération.}}',
    nudge_phone_go: 'Configurer le nouveau téléphone',
    nudge_phone:
      'Vous avez utilisé un code de récupération {at}, et il en reste {left, plural, one {#} many {#} other {#}}. Si votre téléphone est perdu, configurez le nouveau.',
    app_replace_lead:
      'Pour un nouveau téléphone. Votre application actuelle fonctionne jusqu’à ce que vous saisissiez un code de la nouvelle. Vous restez connecté, et vos codes de récupération restent valables.',
    app_replace: 'Remplacer l’application',
    add: 'Ajouter un second facteur',
    add_first: 'D’abord',
    add_passkey: 'Ajouter une clé d’accès',
    add_still_you: 'Confirmez que c’est bien vous',
    add_takes: 'Cela exige une connexion de moins de 15 minutes. {show}',
    app: 'Application d’authentification',
    app_an: 'Une application d’authentification',
    app_dates: 'Configuration : {at}, dernière utilisation : {used}.',
    app_lead: 'Elle affiche un nouveau code toutes les 30 secondes.',
    app_read:
      'Scannez ceci avec une application d’authentification, ou saisissez-y la clé qui figure en dessous.',
    app_renewed:
      'Cette page affiche un nouveau code. Scannez-le et supprimez l’entrée précédente de votre application.',
    app_remove: 'Retirer l’application',
    app_set_up: 'Configurer une application',
    app_set_up_it: 'Configurer l’application',
    browsers: 'Navigateurs de confiance',
    browsers_dates: 'Dernière utilisation : {used}, fin : {ends}',
    browsers_lead:
      'Les applications n’y demandent pas votre second facteur. Cette console le demande toujours.',
    code_hint: 'Les six chiffres qu’elle affiche alors.',
    codes: 'Codes de récupération',
    codes_lead: 'Chacun remplace une fois une clé d’accès ou l’application, si vous l’avez perdue.',
    codes_left:
      '{left, plural, one {Il en reste #.} many {Il en reste #.} other {Il en reste #.}} De nouveaux codes les remplacent.',
    codes_make: 'Créer de nouveaux codes',
    codes_none: 'Vous n’avez aucun code de récupération.',
    elsewhere: 'Vous vous connectez ailleurs, et il n’y a pas de second facteur à configurer ici.',
    factors: 'Clés d’accès, application d’authentification, codes de récupération',
    forget: 'Oublier',
    forget_all: 'Tout oublier',
    heading: 'Connexion et sécurité',
    last: 'C’est le dernier : vos codes de récupération et vos navigateurs de confiance sont supprimés avec lui.',
    last_role:
      'Votre rôle exige un second facteur : la prochaine connexion vous demandera d’en configurer un.',
    lead: 'Comment vous vous connectez, en plus de votre mot de passe ou à sa place.',
    no_address:
      'Aucune adresse e-mail n’est enregistrée ici pour vous : les changements ne sont donc pas annoncés par e-mail.',
    no_passkey: 'Cette clé d’accès n’existe pas',
    no_passkey_lead: 'Elle a déjà été retirée.',
    none: 'Aucune.',
    none_yet:
      'Vous n’avez pas encore de second facteur. Quand vous en ajouterez un, les applications vous demanderont de vous reconnecter.',
    only_at: 'seulement sur {host}',
    passkey: 'Une clé d’accès',
    passkey_lead:
      'Votre navigateur demande votre empreinte, votre visage ou votre code PIN. Cela nécessite JavaScript.',
    passkey_name_hint: 'Pour la reconnaître, par exemple Mon téléphone.',
    passkey_one_device: 'Sur un seul appareil · ajout : {at}, dernière utilisation : {used}',
    passkey_synced: 'Synchronisée · ajout : {at}, dernière utilisation : {used}',
    passkeys: 'Clés d’accès',
    passkeys_lead:
      'Connectez-vous avec votre appareil. Vous ne saisissez rien : il n’y a donc rien à hameçonner.',
    remove: 'Retirer',
    remove_lead: 'Vous ne pourrez plus vous connecter avec elle, ni ici ni aux applications.',
    rename: 'Son nom',
  },
  links: {
    add: 'Ajouter {method}',
    add_lead: 'Connectez-vous-y une fois pour l’associer. Rien ne change avant votre accord.',
    all: 'Tout afficher et en ajouter une',
    as: 'En tant que {name}.',
    current: 'Vous êtes connecté avec cette méthode en ce moment.',
    for: 'Pour {email}. {change}',
    go: 'Associer le compte',
    heading: 'Méthodes de connexion',
    its_password: 'Mot de passe auprès de ce service',
    join: 'Ajouter',
    join_heading: 'Ajouter cette méthode de connexion ?',
    join_other:
      'C’était jusqu’ici un compte à part (création : {since}). Ce compte prend fin : il est déconnecté, et {count, plural, one {l’application à laquelle il donnait accès vous demande} many {les # applications auxquelles il donnait accès vous demandent} other {les # applications auxquelles il donnait accès vous demandent}} de vous reconnecter, en tant que la personne que vous êtes ici.',
    join_who:
      'Vous venez de vous y connecter en tant que {name}. Désormais, vous pourrez vous connecter ainsi ici en tant que {me}.',
    lead: 'Chacune d’elles vous connecte au même compte.',
    not_added: 'Cela n’a pas été ajouté',
    prove: 'Associer le compte',
    take_away: 'Retirer',
    title: 'Ajouter cette méthode de connexion',
    used: 'Dernière utilisation : {at}.',
    username: 'Nom d’utilisateur auprès de ce service',
  },
};
