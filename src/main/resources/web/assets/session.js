import { get, post } from "/assets/api.js";

/** Who looks: `login` whether one is needed, `user` and `role` if someone is logged in. */
export let session = { login: false, user: null, role: "admin" };

export async function refreshSession() {
  try {
    session = await get("/v1/session");
  } catch (problem) {
    // a server that knows no logins takes everyone
    if (problem.status !== 404) throw problem;
    session = { login: false, user: null, role: "admin" };
  }
  return session;
}

export function mayLook() {
  return session.role !== null && session.role !== undefined;
}

export function mayAct() {
  return session.role === "admin";
}

export async function logIn(user, password) {
  await post("/v1/login", { user, password });
  return refreshSession();
}

export async function logOut() {
  await post("/v1/logout");
  return refreshSession();
}
