export const mailsFr = {
  mail: {
    app_renamed: 'Une application d’authentification de votre compte s’appelle maintenant « {name} ».',
    app_renamed_subject: 'une application d’authentification a été renommée',
    app_replaced_subject: 'votre application d’authentification a été remplacée',
    app_replaced:
      'Une application d’authentification de votre compte a été remplacée par une autre. Les codes de l’ancienne ne fonctionnent plus.',
    account_deleted:
      'Votre compte a été supprimé, comme vous l’avez demandé sur sa page. Toutes les sessions sont terminées et aucune application n’agit plus en votre nom.',
    account_deleted_not_you: 'Si ce n’était pas vous, prévenez l’exploitant de ce service.',
    account_deleted_subject: 'votre compte est supprimé',
    address_changed:
      'L’adresse e-mail de votre compte a été modifiée par un administrateur : ce n’est plus celle-ci.',
    address_changed_ended:
      'Vous êtes déconnecté partout, et les liens des e-mails précédents ne fonctionnent plus.',
    address_changed_subject: 'votre adresse a été modifiée',
    address_changed_unknown: 'Si vous n’en savez rien, prévenez l’exploitant de ce service.',
    address_code:
      'Si c’est vous, saisissez le code {code} là où vous avez commencé, dans les {minutes} minutes.',
    address_code_new: 'Quelqu’un souhaite faire de cette adresse e-mail celle de son compte.',
    address_code_new_not_you: 'Si ce n’est pas vous, ne faites rien : rien ne change.',
    address_code_old:
      'Quelqu’un qui est connecté à votre compte souhaite lui donner une autre adresse e-mail.',
    address_code_old_not_you: 'Si ce n’est pas vous, rien ne change. Changez votre mot de passe :',
    address_code_subject: 'un code pour changer votre adresse',
    address_moved: 'L’adresse e-mail de votre compte est maintenant {email}. Ce n’est plus celle-ci.',
    address_moved_links: 'Les liens des e-mails précédents ne fonctionnent plus.',
    address_taken:
      'Quelqu’un souhaite faire de cette adresse e-mail celle de son compte, mais elle appartient déjà à un autre compte et y reste attachée.',
    address_taken_subject: 'cette adresse a un compte',
    address_taken_you: 'Si c’était vous, connectez-vous avec cette adresse ou choisissez-en une autre.',
    admitted:
      'Votre compte est approuvé. Revenez à l’application et connectez-vous avec le mot de passe que vous avez choisi, ou commencez ici :',
    admitted_subject: 'votre compte est prêt',
    app_added:
      'Une application d’authentification a été configurée pour votre compte. À la connexion, un code de cette application peut vous être demandé.',
    app_added_subject: 'une application d’authentification a été configurée',
    app_removed:
      'Une application d’authentification de votre compte a été retirée. Ses codes ne sont plus valables.',
    app_removed_subject: 'votre application d’authentification a été retirée',
    asks: '{who} demande un abonnement de {client} ({id}) à {api}.',
    asks_all_scopes: 'Scopes, tous ceux de cette API :',
    asks_by_document: 'Non enregistré : décrit par un document sur {host}.',
    asks_by_itself: 'Non enregistré : le client s’est enregistré lui-même.',
    asks_device: 'Appareil : des personnes le connectent avec un code qu’il affiche et qu’elles saisissent.',
    asks_in_browser: 'Client : s’exécute dans le navigateur.',
    asks_machine: 'Machine : l’application reçoit des jetons en son propre nom, sans personne connectée.',
    asks_more_scopes: 'Autres scopes : {count}',
    asks_on_device: 'Client : s’exécute sur un téléphone ou un ordinateur.',
    asks_on_server: 'Client : s’exécute sur un serveur.',
    asks_pause:
      'Vous recevez au plus un e-mail sur les demandes toutes les dix minutes, quel que soit leur nombre.',
    asks_scopes: 'Scopes :',
    asks_several: 'Demandes en attente de votre décision : {count}.',
    asks_several_subject: 'demandes en attente de votre décision : {count}',
    asks_trusted:
      'De confiance : oui. Le consentement n’est demandé à personne, et l’application peut demander elle-même les mots de passe.',
    asks_unlisted: 'Demandes visibles seulement dans la boîte de réception : {count}.',
    asks_untrusted: 'De confiance : non.',
    asks_decide: 'Consultez les demandes et décidez :',
    asks_message: 'Le message joint :',
    asks_names: 'L’application a un nom pour chaque langue. Les personnes voient celui de leur langue :',
    asks_subject: '{client} demande {api}',
    browser_trusted: 'Un navigateur ne demande plus votre second facteur lorsque vous vous y connectez.',
    browser_trusted_subject: 'un navigateur est de confiance',
    button_account: 'Voir votre compte',
    button_confirm: 'Confirmer votre adresse',
    button_invited: 'Créer votre compte',
    button_look: 'Consulter',
    button_password: 'Choisir un nouveau mot de passe',
    button_sign_in: 'Se connecter',
    code: 'Votre code est {code}. Saisissez-le là où vous avez commencé, dans les {minutes} minutes.',
    code_link: 'Ou ouvrez ce lien dans le même navigateur :',
    code_not_you: 'Si ce n’est pas vous qui avez demandé un compte, ne faites rien : aucun ne sera créé.',
    code_used:
      'Un code de récupération a servi à se connecter à votre compte. Il ne fonctionnera plus ; la page de votre compte indique combien il en reste.',
    code_used_subject: 'un code de récupération a été utilisé',
    codes_ended:
      'Cent codes à usage unique erronés ont été saisis de suite lors de connexions à votre compte. Les codes de votre application ne fonctionnent plus tant que vous ne vous êtes pas connecté avec une clé d’accès ou un code de récupération.',
    codes_ended_subject: 'les codes de votre application ne fonctionnent plus pour le moment',
    codes_guessed:
      'Dix codes à usage unique erronés ont été saisis de suite lors d’une connexion à votre compte. La personne qui les a saisis avait passé l’étape du mot de passe : si ce n’était pas vous, elle connaît votre mot de passe.',
    codes_guessed_subject: 'des codes erronés ont été saisis lors d’une connexion à votre compte',
    device_connected: 'Un appareil peut désormais agir en votre nom, car son code a été saisi : {name}.',
    device_connected_subject: 'un appareil est connecté',
    codes_made:
      'De nouveaux codes de récupération ont été créés pour votre compte. Les précédents ne sont plus valables.',
    codes_made_subject: 'de nouveaux codes de récupération ont été créés',
    confirm_subject: 'confirmez votre adresse',
    decided_approved: 'L’abonnement de {client} ({id}) à {api} a été approuvé.',
    decided_approved_subject: '{client} → {api} : approuvé',
    decided_goes_on:
      'Ouvrez de nouveau l’application, ou la page en attente : le même lien permet de continuer.',
    decided_rejected: 'L’abonnement de {client} ({id}) à {api} a été refusé.',
    decided_rejected_subject: '{client} → {api} : refusé',
    decided_resumed: 'L’abonnement de {client} ({id}) à {api} a été rétabli.',
    decided_resumed_subject: '{client} → {api} : rétabli',
    decided_revoked: 'L’abonnement de {client} ({id}) à {api} a été révoqué.',
    decided_revoked_subject: '{client} → {api} : révoqué',
    decided_several: 'Décisions sur vos abonnements : {count}.',
    decided_several_subject: 'décisions sur vos abonnements : {count}',
    decided_suspended: 'L’abonnement de {client} ({id}) à {api} a été suspendu.',
    decided_suspended_subject: '{client} → {api} : suspendu',
    decided_undone:
      'La décision sur l’abonnement de {client} ({id}) à {api} a été annulée. Il attend de nouveau une décision.',
    decided_undone_subject: '{client} → {api} : de nouveau en attente',
    decided_unlisted: 'Autres décisions, absentes de cet e-mail : {count}.',
    decided_why: 'Motif :',
    delegation_given:
      '{agent} peut agir en votre nom auprès de {api} jusqu’au {until} : cela a été autorisé sur la page de votre compte.',
    delegation_given_subject: '{agent} peut agir pour vous auprès de {api}',
    delegation_not_you: 'Sinon, mettez-y fin sur la page de votre compte et changez votre mot de passe :',
    factor_not_you: 'Sinon, changez votre mot de passe et vérifiez vos méthodes de connexion :',
    factor_you: 'Si c’est vous qui l’avez fait ou demandé, vous n’avez rien à faire.',
    factors_reset:
      'L’exploitant de ce service a retiré les clés d’accès, l’application d’authentification et les codes de récupération de votre compte. Vous êtes déconnecté partout et vous vous connectez avec votre seul mot de passe jusqu’à ce que vous configuriez un nouveau second facteur.',
    factors_reset_subject: 'votre second facteur a été retiré',
    has_account: 'Quelqu’un a demandé un compte avec cette adresse, et elle en a déjà un.',
    has_account_not_you: 'Si ce n’était pas vous, ne faites rien : votre compte reste tel quel.',
    has_account_password: 'Mot de passe oublié ? Choisissez-en un nouveau :',
    has_account_subject: 'vous avez déjà un compte',
    has_account_you:
      'Si c’était vous, revenez à l’application et connectez-vous, ou consultez votre compte :',
    invited:
      'Vous êtes invité à créer un compte chez {host}. Ouvrez ce lien dans les {days} jours ; il ne fonctionne qu’une fois :',
    invited_subject: 'vous êtes invité',
    invited_unexpected: 'Si vous n’attendiez pas d’invitation, ne faites rien : aucun compte ne sera créé.',
    no_account:
      'Quelqu’un a demandé un nouveau mot de passe pour cette adresse, mais aucun compte ici ne l’utilise pour se connecter.',
    no_account_subject: 'aucun compte ici',
    no_account_you:
      'Si c’était vous, essayez une autre de vos adresses. Si ce n’était pas vous, vous n’avez rien à faire.',
    ownerless: 'Quelqu’un a supprimé son compte. Ses applications continuent et n’ont plus de propriétaire :',
    ownerless_subject: 'des applications sans propriétaire',
    passkey_added:
      'La clé d’accès « {name} » a été ajoutée à votre compte. Elle vous permet de vous connecter sans mot de passe.',
    passkey_added_subject: 'une clé d’accès a été ajoutée',
    passkey_removed:
      'La clé d’accès « {name} » a été retirée de votre compte. Vous ne pouvez plus vous connecter avec elle.',
    passkey_removed_subject: 'une clé d’accès a été retirée',
    passkey_renamed: 'Une clé d’accès de votre compte s’appelle maintenant « {name} ».',
    passkey_renamed_subject: 'une clé d’accès a été renommée',
    password_adopted:
      'Vous vous êtes connecté avec le mot de passe que vous aviez auprès de l’ancien service. C’est désormais votre mot de passe ici, et les liens reçus auparavant par e-mail ne sont plus valables.',
    password_adopted_not_you:
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : « Mot de passe oublié ? » sur la page de connexion.',
    password_adopted_subject: 'le mot de passe de votre ancien compte fonctionne ici',
    person_waits:
      'Quelqu’un a demandé un compte et attend une approbation. Consultez la demande, puis décidez :',
    person_waits_hourly:
      'Vous recevez au plus un tel e-mail par heure, quel que soit le nombre de personnes en attente.',
    person_waits_subject: 'quelqu’un demande un compte',
    rejected: 'Votre demande de compte chez {host} a été refusée.',
    rejected_subject: 'votre demande a été refusée',
    reset:
      'Quelqu’un a demandé un nouveau mot de passe pour cette adresse. Si c’était vous, choisissez-le ici dans les {minutes} minutes :',
    reset_not_you: 'Si ce n’était pas vous, ne faites rien : votre mot de passe reste tel quel.',
    reset_subject: 'choisissez un nouveau mot de passe',
    somebody: 'Quelqu’un',
    test: 'Ceci est un message de test : les e-mails de ce service arrivent ici.',
    test_subject: 'message de test',
    verify: 'Confirmez que cette adresse est la vôtre :',
    identity_linked: 'Désormais, vous pouvez aussi vous connecter avec « {method} ».',
    identity_linked_subject: 'une méthode de connexion a été ajoutée',
    identity_unlinked: 'Vous ne pouvez plus vous connecter avec « {method} ».',
    identity_unlinked_subject: 'une méthode de connexion a été retirée',
    link_not_you:
      'Si ce n’était pas vous, changez votre mot de passe et vérifiez vos méthodes de connexion :',
    waiting_ended:
      'Votre demande de compte chez {host} a pris fin sans décision : la méthode de connexion que vous aviez demandée a été supprimée. Ce que vous aviez saisi est effacé.',
    waiting_ended_subject: 'votre demande a pris fin',
  },
};
