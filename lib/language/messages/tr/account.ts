import type { Messages } from '../types.ts';

export const accountTr: Pick<Messages, 'account'> = {
  account: {
    may_not: 'Bunu yapamazsınız',
    another_link: 'Yeni bir bağlantı isteyin',
    back_to_sign_in: 'Oturum açmaya dön',
    choose_password: 'Yeni bir parola seçin',
    link_used: 'Bu bağlantı artık çalışmıyor',
    link_used_lead: 'Daha önce kullanılmış ya da çok eski.',
    mail_here: 'Bu hizmetin e-posta sunucusu yok: iletiyi {address} adresinde okuyun.',
    marked: 'Henüz hiçbir şey kaydedilmedi. Aşağıda işaretlenenlere bakın.',
    new_password: 'Yeni parola',
    not_there: 'Bulunamadı',
    open_again: 'Sayfayı yeniden açın',
    reset_asked:
      'E-postadaki bağlantıyı {minutes} dakika içinde açın. Bir şey gelmedi mi? İstenmeyen postalara bakın.',
    reset_for: '{email} için. Tüm oturumlar sona erer ve bu parolayla oturum açarsınız.',
    reset_lead: 'Adresinize bir bağlantı göndeririz. Bir kez çalışır.',
    reset_notice: 'Bu adrese ait bir hesap varsa bağlantı yola çıktı.',
    reset_sent: 'E-postanıza bakın',
    save_password: 'Parolayı kaydedin',
    send_link: 'Bağlantıyı gönderin',
    to_account: 'Hesabınıza gidin',
    too_old: 'Bu sayfa çok uzun süre ya da başka bir tarayıcıda açık kaldı. Bir kez daha deneyin.',
    unreachable: 'Hizmet yanıt vermedi. Biraz bekleyip yeniden gönderin: yalnızca bir kez kabul edilir.',
    verify: 'Evet, benim',
    verify_heading: 'Bu adres sizin mi?',
    verify_used_lead: 'Daha önce kullanılmış ya da çok eski. Hesabınızda yenisini isteyen bir düğme var.',
  },
};
