import type { Messages } from '../types.ts';

export const refusalsTr: Pick<
  Messages,
  'address' | 'delegation' | 'own_account' | 'password' | 'second_step' | 'link'
> = {
  address: {
    change_gone: 'Bu kodlar kullanılmış, çok eski ya da çok kez yanlış girilmiş. Yeniden başlayın.',
    code_digits: 'Kod altı rakamdır.',
    code_wrong: 'İki koddan biri yanlış.',
    configured: 'Yapılandırma dosyasında tanımlısınız: adresinizi orada değiştirtin.',
    none: 'Burada değiştirilecek bir adres yok.',
    none_to_verify: 'Burada doğrulanacak bir adres yok.',
    same: 'Bu zaten sizin adresiniz.',
    taken: 'Bu adresin bu arada kendi hesabı oldu.',
  },
  delegation: {
    gone: 'Bu aracının hakkı daha önce sona ermiş.',
    no_agent: 'Bu aracı orada kimse adına işlem yapamaz ya da artık yapamaz.',
    scopes: 'Kapsamlar, aracının orada sahip olduklarından olmalıdır.',
    too_many: 'Bir kişinin en çok {most} aracısı olabilir: önce birini sonlandırın.',
    until_far: 'Son gün en çok {days} gün sonra olabilir.',
    until_past: 'Son gün gelecekte olmalıdır.',
  },
  own_account: {
    device_name: 'Ad en fazla 60 karakter olabilir.',
    consent_gone: 'Bu izin zaten iptal edildi.',
    gone: 'Hesabınız artık yok.',
    language: 'Bir dil olmalı, örneğin de ya da pt-BR.',
    link_gone: 'Bu bağlantı kullanılmış ya da çok eski. Yenisini isteyin.',
    picture: 'En çok 2048 karakterlik, ad ya da parola içermeyen bir https:// adresi olmalı.',
    session_gone: 'Bu oturum daha önce sona ermiş.',
    signed_out: 'Oturumunuz sona erdi. Yeniden oturum açın.',
    too_many_mails: 'Çok fazla e-posta. Biraz bekleyip yeniden deneyin.',
    word: 'delete sözcüğünü yazın.',
    zone: 'Bir saat dilimi olmalı, örneğin Europe/Berlin.',
  },
  password: {
    no_method: 'Burada kimse parolayla oturum açmaz.',
    none: 'Burada değiştirilecek bir parola yok: başka yerde oturum açıyorsunuz.',
    same: 'Bu zaten parolanız.',
    wrong: 'Bu sizin parolanız değil.',
  },
  second_step: {
    apps_full: 'Beş doğrulama uygulamanız var; daha fazlası olamaz. Önce birini kaldırın.',
    app_changed: 'Uygulamanız bu arada değiştirildi ya da kaldırıldı: bu sayfayı yeniden açın.',
    app_gone: 'Bu uygulama daha önce kaldırılmış.',
    at_console: 'Bu, konsolda yapılır.',
    browser_gone: 'Bu tarayıcı zaten unutuldu.',
    codes_alone:
      'Kurtarma kodları, kaybettiğiniz bir geçiş anahtarının ya da uygulamanın yerine geçer: önce birini ayarlayın.',
    due: 'Artık ikinci bir faktör gerekiyor: bir tane ayarlayın.',
    none: 'Oturum açma yönteminizin burada ikinci faktörü yok.',
    passkey_gone: 'Bu geçiş anahtarı daha önce kaldırılmış.',
    passkey_name: 'Ad 1 ile 60 karakter olmalıdır.',
  },
  link: {
    must_change: 'Önce parolanızın değiştirilmesi gerekiyor.',
    no_longer_there: 'Bu oturum açma yöntemi artık yok. Başka birini seçin.',
    too_many: 'Ağınızdan çok fazla oturum açıldı. Biraz bekleyin, sonra tekrar deneyin.',
    at_console: 'Bunun için konsolda oturum açmak gerekir.',
    gone: 'Bu oturum açma yöntemi daha önce kaldırılmış.',
    has_password:
      'Bu oturum açma, parolası olan bir hesaba ait. Onunla oturum açın ve bu yöntemi oraya ekleyin.',
    has_second_step:
      'Bu oturum açma, kendi ikinci faktörü olan bir hesaba ait. Onunla oturum açın ve önce o faktörü kaldırın.',
    in_use: 'Şu anda onunla oturum açtınız. Başka bir yolla oturum açın, sonra kaldırın.',
    last: 'Tek oturum açma yönteminiz bu.',
    other_name: 'Orada zaten başka bir adla oturum açıyorsunuz. Önce onu kaldırın.',
    proof_old: 'O oturum açma çok eski ya da buradaki başka bir oturuma ait. Yeniden başlayın.',
    silent: 'O hizmet yanıt vermiyor. Birazdan yeniden deneyin.',
    taken: 'Bu oturum açma yöntemi zaten sizin ya da artık yok.',
    wrong: 'Kullanıcı adı ya da parola doğru değil.',
    yours: 'Bu oturum açma yöntemi zaten sizin.',
  },
};
