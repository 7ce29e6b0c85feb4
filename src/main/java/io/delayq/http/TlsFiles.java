package io.delayq.http;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

/** Whether the certificate and its key can be used, asked before anything is started that a refusal would leave in vain. */
public final class TlsFiles {
    private TlsFiles() {}

    static PemKeyCertOptions options(Settings.Tls tls) {
        return new PemKeyCertOptions()
                .setCertPath(tls.certificate().toAbsolutePath().toString())
                .setKeyPath(tls.key().toAbsolutePath().toString());
    }

    /** Fails with a message for whoever starts the server. */
    public static Future<Void> check(Vertx vertx, Settings.Tls tls) {
        return tls == null
                ? Future.succeededFuture()
                : vertx.executeBlocking(() -> {
                    readable("http.tlsCertificate", tls.certificate());
                    readable("http.tlsKey", tls.key());
                    check(load(vertx, tls), tls);
                    return null;
                });
    }

    private static void readable(String name, Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new IllegalArgumentException(
                    name + ": " + file + (Files.exists(file) ? " cannot be read" : " does not exist"));
        }
    }

    private static X509KeyManager load(Vertx vertx, Settings.Tls tls) {
        try {
            for (KeyManager manager : options(tls).getKeyManagerFactory(vertx).getKeyManagers()) {
                if (manager instanceof X509KeyManager x509) {
                    return x509;
                }
            }
            throw new GeneralSecurityException("no key");
        } catch (Exception e) {
            // not the exception's text, which may quote the key
            throw new IllegalArgumentException("http.tlsCertificate and http.tlsKey: " + tls.certificate() + " and "
                    + tls.key() + " are not a certificate and its private key in PEM form ("
                    + e.getClass().getSimpleName() + ")");
        }
    }

    private static void check(X509KeyManager manager, Settings.Tls tls) throws GeneralSecurityException {
        for (String type : new String[] {"RSA", "EC", "EdDSA"}) {
            String[] aliases = manager.getServerAliases(type, null);
            for (String alias : aliases == null ? new String[0] : aliases) {
                X509Certificate certificate = manager.getCertificateChain(alias)[0];
                if (!belong(manager.getPrivateKey(alias), certificate)) {
                    throw new IllegalArgumentException(
                            "http.tlsKey: " + tls.key() + " is not the key of the certificate in " + tls.certificate());
                }
            }
        }
    }

    private static boolean belong(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                };
        byte[] text = {1, 2, 3};
        try {
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(text);
            byte[] signed = signer.sign();
            signer.initVerify(certificate.getPublicKey());
            signer.update(text);
            return signer.verify(signed);
        } catch (java.security.InvalidKeyException | java.security.SignatureException e) {
            return false;
        }
    }
}
