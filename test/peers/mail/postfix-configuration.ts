export const hostname = 'mail.example.com';
export const recipients = ['ana', 'ben', 'grey'];

const mailboxes = [
  ...recipients.map((name) => `${name}@example.com=${name}/`),
  // The mailbox at exämple.com, in the form that DNS has.
  'ben@xn--exmple-cua.com=ben/',
];

/** @param usr where its programs and libraries are */
export const mainCf = (folder: string, usr: string, policyPort: number): string => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
daemon_directory = ${usr}/lib/postfix/sbin
command_directory = ${usr}/sbin
import_environment = MAIL_CONFIG TZ LD_LIBRARY_PATH=${usr}/lib/postfix
maillog_file = ${folder}/log/main
maillog_file_prefixes = ${folder}
mail_owner = mail
setgid_group = daemon
default_privs = nobody
myhostname = ${hostname}
mydestination =
mynetworks =
alias_maps =
alias_database =
inet_interfaces = loopback-only
inet_protocols = ipv4
smtputf8_enable = no
virtual_mailbox_domains = example.com xn--exmple-cua.com
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = inline:{${mailboxes.join(' ')}}
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
virtual_mailbox_limit = 0
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = ${folder}/own.pem
smtpd_tls_key_file = ${folder}/own.key
smtpd_sasl_auth_enable = yes
smtpd_sasl_local_domain = ${hostname}
cyrus_sasl_config_path = ${folder}/sasl
smtpd_sender_login_maps = inline:{callsheet@example.com=callsheet@${hostname}}
smtpd_sender_restrictions = reject_sender_login_mismatch, permit_sasl_authenticated, reject
smtpd_helo_required = yes
smtpd_helo_restrictions = reject_non_fqdn_helo_hostname, reject_invalid_helo_hostname
message_size_limit = 3000000
smtpd_recipient_restrictions = check_policy_service inet:127.0.0.1:${policyPort}
`;

export const masterCf = (port: number): string => `
127.0.0.1:${port} inet n - n - - smtpd
anvil unix - - n - 1 anvil
bounce unix - - n - 0 bounce
cleanup unix n - n - 0 cleanup
defer unix - - n - 0 bounce
error unix - - n - - error
postlog unix-dgram n - n - 1 postlogd
proxymap unix - - n - - proxymap
qmgr unix n - n 300 1 qmgr
retry unix - - n - - error
rewrite unix - - n - - trivial-rewrite
tlsmgr unix - - n 1000 1 tlsmgr
trace unix - - n - 0 bounce
virtual unix - n n - - virtual
`;

/** What Cyrus SASL reads as a server for SMTP: in `sasl` beside main.cf, as Debian has it. */
export const smtpdConf = (folder: string): string => `
pwcheck_method: auxprop
auxprop_plugin: sasldb
sasldb_path: ${folder}/sasldb
mech_list: PLAIN LOGIN
`;
